import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { demoPolicies } from '@attestry/demo/demoPolicies.ts'
import { startChains } from '@attestry/demo/runDemo.ts'
import type { DemoChain } from '@attestry/demo/runDemoChain.ts'

/**
 * `npm run dev`: the program over the local chains of the demo. Node.js starts the program anew after a change of a file
 * that the program has loaded. The chains and the index outlive such a start; both end with Ctrl-C.
 * Further arguments are those of `attestry start`, such as `--port 4001`.
 */

const program = join(import.meta.dirname, '..', 'packages', 'attestry', 'src', 'attestry.js')

await untilStopped(async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-dev-'))
  const chains: DemoChain[] = []
  try {
    await startChains(chains, signal)
    const file = join(folder, 'attestry.yaml')
    // Each JSON text is a YAML text.
    writeFileSync(file, JSON.stringify(configFile(chains, join(folder, 'attestry.db'))))
    const onProblem = (problem: string) => process.stderr.write(`${problem}\n`)
    const lives = chains.map((chain) => chain.live(signal, { onProblem }))
    await Promise.race([runProgram(file, signal), Promise.all(lives)])
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await Promise.all(chains.map((chain) => chain.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The configuration of the demo as a file. */
function configFile(chains: readonly DemoChain[], path: string): object {
  return {
    database: `sqlite:${path}`,
    server: { workers: 1, mcp: true },
    policies: demoPolicies(),
    chains: chains.map(({ chainId, name, rpcUrl, finality, contracts }) => ({
      chainId,
      name,
      rpc: [rpcUrl],
      finality,
      pollIntervalMs: 500,
      contracts: contracts.map(({ schemaRegistry, ...contract }) =>
        schemaRegistry === null ? contract : { ...contract, schemaRegistry },
      ),
    })),
  }
}

/** Runs the program, and starts it anew after changes, until the signal is aborted. */
async function runProgram(file: string, signal: AbortSignal): Promise<void> {
  const args = ['--watch', '--watch-preserve-output', program, 'start', '--config', file]
  const child = spawn(process.execPath, [...args, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // The variable would override the database of the file.
    env: { ...process.env, DATABASE_URL: undefined },
  })
  const ended = Promise.withResolvers<void>()
  child.once('error', ended.reject)
  child.once('exit', () => ended.resolve())
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
  await ended.promise
}
