import type { Layout } from '../../src/store/layout/layoutSteps.ts'
import { sqliteLayout } from '../../src/store/sqlite/migrations.ts'

/** A layout of no version. Its steps leave a database as it was but for the table `later`; tests kill upgrades to it. */
export const laterLayout: Layout = {
  ...sqliteLayout,
  steps: [
    ...sqliteLayout.steps,
    'CREATE TABLE later (id INTEGER PRIMARY KEY, data BLOB) STRICT',
    'INSERT INTO later SELECT id, data FROM attestation',
    'UPDATE attestation SET protocol = upper(protocol)',
    'UPDATE attestation SET protocol = lower(protocol)',
  ],
}
