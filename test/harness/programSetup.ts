import { buildProgram } from './buildProgram.ts'
import { programVariable } from './spawnAttestry.ts'

/** Builds the program for the tests that start it (`spawnAttestry.ts`). */
export async function setup(): Promise<void> {
  process.env[programVariable] = await buildProgram()
}
