import { afterAll } from 'vitest'
import { forgetUnusedDatabases } from './postgresTestStore.ts'

/** Runs after each test file; the modules of a worker are those of the files before it. */
afterAll(forgetUnusedDatabases)
