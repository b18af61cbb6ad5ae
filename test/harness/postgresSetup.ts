import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgresServer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the PostgreSQL server that all tests of the project share. */
    readonly postgresPort: number
  }
}

/** Starts the shared server. Each test creates a database of its own (`postgresDatabase.ts`). */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgresServer()
  project.provide('postgresPort', server.port)
  return () => server.stop()
}
