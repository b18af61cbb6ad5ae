import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { findFastFolder } from '@attestry/test/harness/fastFolder.ts'
import { LongestFirst } from '@attestry/test/harness/longestFirst.ts'

/** One worker more than cores: tests wait for blocks, commits and pages for a quarter of their time. */
const maxWorkers = availableParallelism() + 1

/**
 * The folder in which Node.js keeps compiled modules. Without this cache each worker and each process under test compiles
 * the program anew.
 */
const compileCache = join(import.meta.dirname, 'node_modules', '.cache', 'attestry', 'compile')

/**
 * The temporary files of one run, which end with the run: a worker that is killed removes nothing. Other users may pass
 * through, such as the one that PostgreSQL runs as.
 */
const runFolder = mkdtempSync(join(findFastFolder(), 'attestry-run-'))
chmodSync(runFolder, 0o711)
process.once('exit', () => rmSync(runFolder, { recursive: true, force: true }))

/** The files whose random histories and documents `soak` tries many times as often as `unit` and `postgres` do. */
const randomSuites = [
  'packages/store/src/**/{*Store,*Queries,*Audit,*Transfer,changeJournal,derivedTables}{,.postgres}.test.ts',
  'packages/server/src/interfaces/{events/changesByPull,graphql/protocol,graphql/execution/executePlan}.test.ts',
]

/** The files of which `npm test` runs the first cases only (`firstCases` and `isNightly` of test/harness/nightly.ts). */
const partialSuites = [
  'demo/src/trickle.whole.test.ts',
  'packages/agents/src/projection/agentStore{,.postgres}.test.ts',
  'packages/attestry/src/{cli,slowReader}.whole.test.ts',
  'packages/attestry/src/{check/estimateCalls,writer/writerThread}.test.ts',
  'packages/archive/src/chunks/exchange.postgres.test.ts',
  'packages/archive/src/commands/{lake/lake,outbox/fillOutbox.postgres}.test.ts',
  'packages/content/src/thread/content{,.postgres}.test.ts',
  'packages/core/src/chain/fetchLogs.test.ts',
  'packages/server/src/interfaces/explorer/prepareExplorer.whole.test.ts',
  'packages/store/src/postgres/pooledWriters.postgres.test.ts',
  'test/chunks/publishing.test.ts',
  'test/deploy/compose.postgres.test.ts',
  'test/e2e/{cli,hooks,workers}.test.ts',
  'test/e2e/copy.postgres.test.ts',
  'test/explorer/{code,details,keyboard,lists,origins,pages,records,search,times,use,verify}.test.ts',
  'test/packages/{attestry,client}.test.ts',
  'test/simulation/{deepReorganisation,simulation,simulation.postgres,sockets}.test.ts',
  'test/upgrade/upgrade{,.postgres}.test.ts',
]

/**
 * Five kinds of test. `unit` stands beside the code and needs only this process. `whole` drives several parts together,
 * over simulated or real chains and child processes. `postgres` (`*.postgres.test.ts`) runs against a PostgreSQL server
 * that is started once for all files. `browser` opens the explorer in a browser. `soak` (`*.soak.test.ts`) runs more
 * seeds and all cases, for hours, every night.
 *
 * All projects but `soak` share one group, so that no core waits for the last file of a project; `LongestFirst` orders
 * the files.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    // No test replaces a module, so the files of a worker can share the modules that they import.
    isolate: false,
    // Node.js itself imports the TypeScript, as it does for users: a fifth less processor time than Vite's module runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: compileCache },
    provide: { historyShare: 0.05 },
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,demo,bench}/**/*.test.ts', '{client,explorer}/{src,scripts}/**/*.test.ts'],
          setupFiles: ['test/harness/boundProperties.ts'],
          exclude: [
            '**/node_modules/**',
            '**/*.whole.test.ts',
            '**/*.postgres.test.ts',
            '**/*.soak.test.ts',
            '**/*.browser.test.ts',
          ],
          testTimeout: 300_000,
          hookTimeout: 180_000,
          env: { TMPDIR: runFolder },
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts', '{packages,demo}/**/*.whole.test.ts'],
          exclude: ['**/node_modules/**', '**/*.postgres.test.ts', '**/*.soak.test.ts', 'test/explorer/**'],
          globalSetup: ['test/harness/programSetup.ts'],
          testTimeout: 300_000,
          hookTimeout: 180_000,
          env: { TMPDIR: runFolder },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['packages/**/*.postgres.test.ts', 'test/**/*.postgres.test.ts'],
          globalSetup: ['test/harness/programSetup.ts', 'test/harness/postgresSetup.ts'],
          setupFiles: ['test/harness/boundProperties.ts', 'test/harness/ownDatabases.ts'],
          // Without it each connection asks for TLS first: a process of the server that ends at once. Programs ask.
          env: { PGSSLMODE: 'disable' },
          // The store is the same code over both databases: SQLite tries its many histories, PostgreSQL the difference.
          provide: { historyShare: 0.04 },
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/explorer/**/*.test.ts', 'client/src/**/*.browser.test.ts'],
          globalSetup: ['test/explorer/browserSetup.ts'],
          // A machine that stands still in the middle of a key press is no fault of a page. The report says `retry x1`.
          retry: process.env['CI'] === undefined ? 0 : 1,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: [
            'packages/**/*.soak.test.ts',
            'test/**/*.soak.test.ts',
            ...randomSuites,
            ...partialSuites,
          ],
          globalSetup: [
            'test/harness/programSetup.ts',
            'test/harness/postgresSetup.ts',
            'test/explorer/browserSetup.ts',
          ],
          provide: { historyShare: 4 },
          testTimeout: 3_600_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
