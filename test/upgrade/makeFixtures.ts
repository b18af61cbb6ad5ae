import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { fixtureHead, fixturePath, fixtureRankThreshold, fixtures } from './fixtures.ts'
import { recordChain } from './recordChain.ts'
import {
  loadRecordedChain,
  saveRecordedChain,
  serveRecordedChain,
  type RecordedChain,
} from './recordedChain.ts'

/**
 * `npm run fixtures` makes the missing databases of `fixtures.ts`: it checks out the program of each layout, which
 * indexes the recorded chain. After a change of the layout, add its line to `fixtures.ts` first. The recorded chain
 * never changes, since the databases contain its records.
 */

const root = new URL('../../', import.meta.url).pathname

/** Records the chain unless the recording exists. */
function recordOnce(): void {
  if (existsSync(new URL('chain.json.br', import.meta.url))) return
  saveRecordedChain(
    recordChain(
      createSimulatedChain({
        seed: 11,
        blocks: fixtureHead + 30,
        hasUnreadable: true,
        legacySignBelow: 20,
        shape: {
          blocks: 16,
          eventBlocks: 8,
          events: {
            signSchema: 1,
            signAttestation: 7,
            signRevocation: 3,
            signAnchor: 1,
            easSchema: 1,
            easAttestation: 6,
            easRevocation: 1,
            easAnchor: 2,
            malformed: 1,
          },
        },
      }),
    ),
  )
}

async function makeFixture(commit: string, target: URL, chain: RecordedChain): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-fixture-'))
  const worktree = join(folder, 'program')
  const server = await serveRecordedChain(chain, fixtureHead)
  try {
    execFileSync('git', ['worktree', 'add', '--detach', worktree, commit], { cwd: root, stdio: 'ignore' })
    symlinkSync(join(root, 'node_modules'), join(worktree, 'node_modules'))
    const path = join(folder, 'index.db')
    writeFileSync(join(folder, 'attestry.yaml'), configOf(chain, path, server.url))
    const migrate =
      "const { migrateSqlite } = await import('./src/store/sqlite/migrateSqlite.ts');" +
      `migrateSqlite(${JSON.stringify(path)}, { rankThreshold: ${fixtureRankThreshold} })`
    execFileSync(process.execPath, ['--input-type=module', '-e', migrate], { cwd: worktree })
    await indexUpToHead(worktree, join(folder, 'attestry.yaml'), path)
    const packed = join(folder, 'packed.db')
    const database = new DatabaseSync(path)
    database.exec(`VACUUM INTO '${packed}'`)
    database.close()
    writeFileSync(target, brotliCompressSync(readFileSync(packed)))
  } finally {
    await server.close()
    execFileSync('git', ['worktree', 'remove', '--force', worktree], { cwd: root })
    rmSync(folder, { recursive: true, force: true })
  }
}

async function indexUpToHead(worktree: string, config: string, path: string): Promise<void> {
  const program = spawn(process.execPath, ['src/cli/attestry.js', 'index', '--config', config], {
    cwd: worktree,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    for (let tries = 0; checkpointOf(path) !== fixtureHead; tries++) {
      if (tries > 600 || program.exitCode !== null) throw new Error('the program did not reach the head')
      await delay(100)
    }
  } finally {
    program.kill('SIGTERM')
    await ended
  }
}

function checkpointOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('SELECT checkpoint_block AS block FROM chain').get()?.['block']
  } finally {
    database.close()
  }
}

function configOf({ chainId, contracts }: RecordedChain, path: string, url: string): string {
  return `database: "sqlite:${path}"
chains:
  - chainId: ${chainId}
    name: Simulated
    rpc: ["${url}"]
    finality: 12
    pollIntervalMs: 100
    contracts:
      - { protocol: sign, address: "${contracts.sign}", startBlock: 0 }
      - { protocol: eas, address: "${contracts.eas}", schemaRegistry: "${contracts.schemaRegistry}", startBlock: 0 }
`
}

recordOnce()
for (const { layout, commit } of fixtures) {
  const target = fixturePath(layout)
  if (existsSync(target)) continue
  await makeFixture(commit, target, loadRecordedChain())
  process.stdout.write(`layout ${layout} from ${commit}\n`)
}
