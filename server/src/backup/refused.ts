import { StartRefused } from '../platform/start-refused.ts'

/** A backup or restore cannot go on for a reason that the operator can fix. The message states the reason and the remedy. */
export class BackupRefused extends StartRefused {}
