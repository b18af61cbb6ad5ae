import { execFile } from 'node:child_process'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const buildScript = fileURLToPath(
  new URL('../../../packages/server/src/interfaces/explorer/buildExplorer.ts', import.meta.url),
)

/** Builds the explorer from its sources into a folder of the caller, since another build may replace the cached one. */
export async function buildForTests(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [buildScript])
  const copy = await mkdtemp(join(tmpdir(), 'attestry-explorer-'))
  await cp(stdout.trim(), copy, { recursive: true })
  return copy
}
