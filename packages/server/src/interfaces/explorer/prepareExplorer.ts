import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ExplorerSource, ExplorerState } from './explorerSource.ts'
import { pageFile, readExplorerBuild } from './readExplorerBuild.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { explorerFolder, stampExplorer } from './stampExplorer.ts'

/** The explorer, ready or being built. */
export interface PreparedExplorer extends ExplorerSource {
  /** Resolves when the explorer is ready or missing for good. Never rejects. */
  readonly settled: Promise<void>
  /** Ends a build in progress. */
  close(): void
}

const buildScript = fileURLToPath(new URL('./buildExplorer.ts', import.meta.url))

/**
 * Loads the build of the explorer's present sources. If it does not exist, a child process builds it first, so that
 * neither the start nor any answer waits. An installed package has no sources, and one build. If the build fails, there is no
 * explorer.
 */
export function prepareExplorer(log: Logger, sources = explorerFolder): PreparedExplorer {
  let state: ExplorerState = { kind: 'building' }
  let builder: ChildProcess | null = null
  let isClosed = false

  async function prepare(): Promise<void> {
    const builds = join(sources, 'dist')
    const name =
      (await stampExplorer(sources)) ?? (await readdir(builds)).find((each) => !each.startsWith('.'))
    if (name === undefined) throw new Error('neither sources nor a build are installed')
    const expected = join(builds, name)
    if (!existsSync(join(expected, pageFile))) await runBuild()
    state = { kind: 'ready', build: await readExplorerBuild(expected) }
  }

  async function runBuild(): Promise<void> {
    const startMs = performance.now()
    log.info('building the explorer')
    if (isClosed) throw new Error('stopped')
    builder = fork(buildScript, [sources], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
    const ended = new Promise<number | null>((resolve, reject) => {
      builder?.once('error', reject)
      builder?.once('exit', resolve)
    })
    const complaint = builder.stderr === null ? '' : await text(builder.stderr)
    if ((await ended) !== 0)
      throw new Error(complaint.trim().replace(/^attestry: the explorer cannot be built: /, ''))
    log.info({ seconds: Math.round((performance.now() - startMs) / 100) / 10 }, 'the explorer is built')
  }

  const settled = prepare().catch((error: unknown) => {
    state = { kind: 'missing' }
    if (!isClosed) log.error(`There is no explorer: ${describeError(error)}`)
  })
  return {
    state: () => state,
    settled,
    close: () => {
      isClosed = true
      builder?.kill()
    },
  }
}
