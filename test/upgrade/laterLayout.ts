import type { Layout } from '@attestry/store/layout/layoutSteps.ts'
import { postgresLayout } from '@attestry/store/postgres/migrations.ts'
import { sqliteLayout } from '@attestry/store/sqlite/migrations.ts'

/** Steps that leave a database unchanged except for the table `later`. */
const laterSteps = [
  'INSERT INTO later SELECT id, data FROM attestation',
  'UPDATE attestation SET protocol = upper(protocol)',
  'UPDATE attestation SET protocol = lower(protocol)',
]

/** A later layout of a SQLite database, for tests of upgrades. */
export const laterLayout: Layout = {
  ...sqliteLayout,
  steps: [
    ...sqliteLayout.steps,
    'CREATE TABLE later (id INTEGER PRIMARY KEY, data BLOB) STRICT',
    ...laterSteps,
  ],
}

/** The same of a PostgreSQL database. */
export const laterPostgresLayout: Layout = {
  ...postgresLayout,
  steps: [...postgresLayout.steps, 'CREATE TABLE later (id bigint PRIMARY KEY, data bytea)', ...laterSteps],
}
