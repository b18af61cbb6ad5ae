import { fork, type ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ExplorerSource, ExplorerState } from '../../api/explorer/explorerSource.ts'
import { readExplorerBuild } from '../../api/explorer/readExplorerBuild.ts'
import { describeError } from '../../errors/baseError.ts'
import type { FinishedBuild } from './buildExplorer.ts'
import type { BuildMessage } from './buildProcess.ts'
import { buildsFolderOf, explorerPlaces, unfinishedPrefix, type ExplorerPlaces } from './explorerPlaces.ts'
import { hashExplorerSources } from './hashExplorerSources.ts'

/** The explorer, standing or on its way. */
export interface PreparedExplorer extends ExplorerSource {
  /** Resolves when it stands, or is known not to come. Never rejects. */
  readonly settled: Promise<void>
  /** Where the build is that is served; null while there is none. It stays there until `close`. */
  folder(): string | null
  /** Breaks off a build that is under way. */
  close(): void
}

const buildProcess = fileURLToPath(new URL('./buildProcess.ts', import.meta.url))

type StandingBuild = Extract<ExplorerState, { readonly kind: 'ready' }> & { readonly folder: string }
type PreparedState = Exclude<ExplorerState, { readonly kind: 'ready' }> | StandingBuild

/** A build takes a few seconds; one that takes this long hangs. */
const buildLimitMs = 180_000

/**
 * Sees to it that there is a build of the explorer's sources as they are now: takes the one that there is, else makes one in a process of its
 * own, so that neither the start nor any answer waits for it. Where it cannot be made, an older one is served, or none.
 */
export function prepareExplorer(log: Logger, places: ExplorerPlaces = explorerPlaces): PreparedExplorer {
  const buildsFolder = buildsFolderOf(places)
  let state: PreparedState = { kind: 'building' }
  let temporaryFolder: string | null = null
  let child: ChildProcess | null = null
  let closed = false

  async function prepare(): Promise<PreparedState> {
    const key = await hashExplorerSources(places)
    if (key !== null) {
      const standing = await readBuild(join(buildsFolder, key))
      if (standing !== null) return standing
      const startMs = performance.now()
      log.info('building the explorer')
      try {
        const { folder, isTemporary } = await runBuild(key)
        if (isTemporary) temporaryFolder = folder
        const ready = { kind: 'ready', build: await readExplorerBuild(folder), folder } as const
        log.info({ seconds: Math.round((performance.now() - startMs) / 100) / 10 }, 'the explorer is built')
        return ready
      } catch (error) {
        if (closed) return { kind: 'missing' }
        const older = await findNewestBuild(buildsFolder)
        const instead = older === null ? 'there is none until it can be' : 'an older build is served'
        log.error(`The explorer cannot be built, ${instead}: ${describeError(error)}`)
        return older ?? { kind: 'missing' }
      }
    }
    const brought = await findNewestBuild(buildsFolder)
    if (brought === null) log.error('There is no explorer: neither its sources nor a build are installed')
    return brought ?? { kind: 'missing' }
  }

  function runBuild(key: string): Promise<FinishedBuild> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error('it is not needed any more'))
      const builder = fork(buildProcess, [key, places.sources, places.lockFile], {
        stdio: 'ignore',
        timeout: buildLimitMs,
        execArgv: [],
      })
      child = builder
      builder.once('message', (message: BuildMessage) => {
        if (message.kind === 'built') resolve(message.build)
        else reject(new Error(message.message))
      })
      builder.once('error', reject)
      builder.once('exit', (code, signal) => {
        child = null
        reject(new Error(`its build ended with ${signal ?? code}`))
      })
    })
  }

  const settled = prepare().then(
    (prepared) => {
      state = prepared
    },
    (error: unknown) => {
      log.error(`The explorer cannot be served: ${describeError(error)}`)
      state = { kind: 'missing' }
    },
  )
  return {
    state: () => state,
    settled,
    folder: () => (state.kind === 'ready' ? state.folder : null),
    close: () => {
      closed = true
      child?.kill()
      if (temporaryFolder !== null) rmSync(temporaryFolder, { recursive: true, force: true })
    },
  }
}

/** The build in a folder; null where there is none that can be served. */
async function readBuild(folder: string): Promise<StandingBuild | null> {
  try {
    return { kind: 'ready', build: await readExplorerBuild(folder), folder }
  } catch {
    return null
  }
}

async function findNewestBuild(buildsFolder: string): Promise<StandingBuild | null> {
  const names = await readdir(buildsFolder).catch(() => [])
  const finished = names.filter((name) => !name.startsWith(unfinishedPrefix))
  const dated = await Promise.all(
    finished.map(async (name) => {
      const folder = join(buildsFolder, name)
      return { folder, madeMs: (await stat(folder)).mtimeMs }
    }),
  )
  for (const { folder } of dated.sort((a, b) => b.madeMs - a.madeMs)) {
    const build = await readBuild(folder)
    if (build !== null) return build
  }
  return null
}
