import type { Layout } from '../../src/store/layout/layoutSteps.ts'
import { sqliteLayout } from '../../src/store/sqlite/migrations.ts'

/** A later layout for tests of upgrades. Its steps leave a database unchanged except for the table `later`. */
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
