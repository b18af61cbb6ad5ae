import { forgetUnusedDatabases } from './postgresTestStore.ts'

/** Runs before each test file; the modules of a worker are those of the files before it. */
forgetUnusedDatabases()
