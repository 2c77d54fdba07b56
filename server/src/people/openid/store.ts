import type { Executor } from '../../platform/db.ts'

/** The person linked to an identity, or undefined. */
export async function findLinked(db: Executor, issuer: string, subject: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('openid_identity')
    .select('person_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.person_id
}

/** Links an identity to a person. Of two concurrent requests, the first one wins. */
export async function insertLink(
  tx: Executor,
  link: { issuer: string; subject: string; person_id: string; created_at: Date },
): Promise<void> {
  await tx
    .insertInto('openid_identity')
    .values(link)
    .onConflict((oc) => oc.doNothing())
    .execute()
}
