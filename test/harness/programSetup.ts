import { compileSign } from '@attestry/demo/compileSign.ts'
import { buildProgram } from './buildProgram.ts'
import { programVariable } from './spawnAttestry.ts'

/** Builds the program for the tests that start it (`spawnAttestry.ts`), and the contract of local chains. */
export async function setup(): Promise<void> {
  // Without this, the first test files to start a local chain would each spend 7 s on compiling it.
  const [program] = await Promise.all([buildProgram(), compileSign()])
  process.env[programVariable] = program
}
