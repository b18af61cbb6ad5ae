import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { startPostgresServer } from '../harness/postgresServer.ts'
import { createSimulatedChain, noEvents } from '../simulator/simulatedChain.ts'
import {
  fixtureHead,
  fixturePath,
  fixtureRankThreshold,
  fixtures,
  packPostgresFixture,
  postgresFixturePath,
  type Fixture,
} from './fixtures.ts'
import { readTables, runStatement } from './postgresTables.ts'
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
            ...noEvents,
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

/** Runs `make` with the program at a commit and an endpoint that serves the recorded chain. */
async function withProgram(commit: string, make: (program: Program) => Promise<void>): Promise<void> {
  const chain = loadRecordedChain()
  const folder = mkdtempSync(join(tmpdir(), 'attestry-fixture-'))
  const worktree = join(folder, 'program')
  const server = await serveRecordedChain(chain, fixtureHead)
  try {
    execFileSync('git', ['worktree', 'add', '--detach', worktree, commit], { cwd: root, stdio: 'ignore' })
    symlinkSync(join(root, 'node_modules'), join(worktree, 'node_modules'))
    await make({
      folder,
      migrate: (module, name, target) => {
        const options = JSON.stringify({ rankThreshold: fixtureRankThreshold })
        const script = `const { ${name} } = await import('./${module}'); await ${name}(${JSON.stringify(target)}, ${options})`
        execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: worktree })
      },
      index: async (database, readCheckpoint) => {
        const config = join(folder, 'attestry.yaml')
        writeFileSync(config, configOf(chain, database, server.url))
        await indexUpToHead(worktree, config, readCheckpoint)
      },
    })
  } finally {
    await server.close()
    execFileSync('git', ['worktree', 'remove', '--force', worktree], { cwd: root })
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Program {
  readonly folder: string
  /** Creates the tables of its layout, by the function `name` of a module. */
  migrate(module: string, name: string, target: string): void
  /** Indexes the recorded chain up to `fixtureHead`. */
  index(database: string, readCheckpoint: () => unknown): Promise<void>
}

async function makeFixture({ layout, commit }: Fixture): Promise<void> {
  await withProgram(commit, async ({ folder, migrate, index }) => {
    const path = join(folder, 'index.db')
    migrate('packages/store/src/sqlite/migrateSqlite.ts', 'migrateSqlite', path)
    await index(`sqlite:${path}`, () => checkpointOf(path))
    const packed = join(folder, 'packed.db')
    const database = new DatabaseSync(path)
    database.exec(`VACUUM INTO '${packed}'`)
    database.close()
    writeFileSync(fixturePath(layout), brotliCompressSync(readFileSync(packed)))
  })
}

async function makePostgresFixture({ layout, commit }: Fixture): Promise<void> {
  const postgres = await startPostgresServer()
  try {
    const url = await postgres.createDatabase('fixture')
    await withProgram(commit, async ({ migrate, index }) => {
      migrate('packages/store/src/postgres/migratePostgres.ts', 'migratePostgres', url)
      await index(url, async () => Number(await runStatement(url, 'SELECT checkpoint_block FROM chain')))
      packPostgresFixture(layout, await readTables(url))
    })
  } finally {
    await postgres.stop()
  }
}

async function indexUpToHead(worktree: string, config: string, readCheckpoint: () => unknown): Promise<void> {
  const program = spawn(
    process.execPath,
    ['packages/attestry/src/attestry.js', 'index', '--config', config],
    {
      cwd: worktree,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const ended = once(program, 'exit')
  try {
    for (let tries = 0; (await readCheckpoint()) !== fixtureHead; tries++) {
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

function configOf({ chainId, contracts }: RecordedChain, database: string, url: string): string {
  return `database: "${database}"
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
for (const fixture of fixtures) {
  if (!existsSync(fixturePath(fixture.layout))) await makeFixture(fixture)
  if (!existsSync(postgresFixturePath(fixture.layout))) await makePostgresFixture(fixture)
}
