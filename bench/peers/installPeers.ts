import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EndpointReady } from './easEndpoint.ts'

/**
 * The package manager of Envio: its code generation runs `pnpm install`, and installs pnpm globally if it is missing.
 */
const pnpm = 'pnpm@10.34.9'

/** Environment variables that the peers' programs read: the endpoint, its chain and the contract. */
export function endpointVariables({ url, contract, chainId }: EndpointReady): Record<string, string> {
  return { BENCH_RPC_URL: url, BENCH_EAS: contract, BENCH_CHAIN_ID: String(chainId) }
}

/** The path with the Node.js of this process first. */
export const nodePath = `${dirname(process.execPath)}:${process.env['PATH']}`

/** Copies the programs of `programs/` into a folder of their own and installs what they need beside them. */
export function installPeers(folder: string): void {
  for (const peer of ['ponder', 'envio']) {
    mkdirSync(join(folder, peer), { recursive: true })
    cpSync(new URL(`programs/${peer}`, import.meta.url), join(folder, peer), { recursive: true })
  }
  run('npm install --ignore-scripts --no-audit --no-fund', join(folder, 'ponder'))
  runWithPnpm('pnpm install --ignore-scripts --no-frozen-lockfile', folder)
}

/** Generates Envio's code, which holds the URL of the endpoint. */
export function generateEnvio(folder: string, endpoint: EndpointReady): void {
  runWithPnpm('pnpm envio codegen', folder, endpointVariables(endpoint))
}

/** The exact version of a package that is installed beside a program. */
export function installedVersion(folder: string, name: string): string {
  const text = readFileSync(join(folder, name, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function runWithPnpm(command: string, folder: string, env: Record<string, string> = {}): void {
  const store = join(folder, 'pnpm-store')
  run(`npm exec --yes --package=${pnpm} -c '${command}'`, join(folder, 'envio'), {
    ...env,
    npm_config_store_dir: store,
  })
}

function run(command: string, cwd: string, env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    env: { ...process.env, ...env, PATH: nodePath, CI: 'true' },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) throw new Error(`${command} failed: ${`${stdout}${stderr}`.slice(-2_000)}`)
}
