import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { windowSecondsDefault } from '@attestry/server/pipeline/limits/limitRates.ts'
import { createRequestCounts } from '@attestry/server/pipeline/limits/requestCounts.ts'
import {
  createMetrics,
  retireSnapshots,
  type ProcessSnapshot,
} from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { importWings } from '../composition.ts'
import { listenForFigures, openFigures } from '../openFigures.ts'
import { readWingFigures } from '@attestry/server/wing.ts'
import { createRequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { onCommit } from '@attestry/core/changes/commitHints.ts'
import { assertListenable, formatBaseUrl } from '@attestry/host/listenAddress.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { withLiveErrors } from '@attestry/host/withLiveErrors.ts'
import { closeLimitMs, type ApiSettings, type RunningApi } from '../apiSettings.ts'
import { createOpenQuestions } from '@attestry/host/openQuestions.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './workerMessages.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'

/** Time for a worker to end by itself; afterwards the worker is killed. */
const stopGraceMs = 1_300

/** Delay between the end of a worker and the start of its successor; doubled while successors fail to start. */
const restartDelayMinMs = 100
const restartDelayMaxMs = 10_000

/** Interval at which workers get the errors of the indexer. */
const statusIntervalMs = 1_000

/** Time to wait for a worker's snapshot; afterwards its last snapshot is used. */
const snapshotLimitMs = 5_000

/**
 * glibc gives the threads of a process up to eight arenas a processor, and each arena keeps the memory that was freed
 * in it. JavaScript and SQLite run in one thread of a worker. Other systems ignore the variable.
 */
const workerEnvironment = { MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'] ?? '2' }

interface RunningWorker {
  readonly process: Worker
  isListening: boolean
  /** The last snapshot of the worker's metrics. */
  snapshot: ProcessSnapshot
  rpcCounts: readonly RpcCount[]
}

/**
 * Serves the API from `server.workers` processes on one port. The main process answers no request: it counts requests
 * for the rate limit, adds up metrics, and replaces a worker that has ended. Called once in a process. Invariants:
 * 1. Counters of `/metrics` never fall: the last snapshot of an ended worker stays in the sums.
 * 2. No worker outlives the main process: `node:cluster` ends workers whose main process is gone.
 * @throws StartError when the address cannot be listened on, or a worker cannot start.
 */
export async function startWorkers(settings: ApiSettings): Promise<RunningApi> {
  const { server, logger, chains, chainIds } = settings
  const { host, rateLimit } = server
  const mayListen = settings.mayListen ?? Promise.resolve()
  // Workers listen with SO_REUSEPORT, which would succeed on a port that another program of this user listens on.
  const port = await assertListenable(server)
  const database = await openDatabase(settings.database)
  const reader = withLiveErrors(database.openReader(), settings.statuses ?? (() => []))
  const wings = await importWings(settings.wings)
  const workers = new Set<RunningWorker>()
  const snapshots = createOpenQuestions<RunningWorker>()
  const countRequest = createRequestCounts((rateLimit?.windowSeconds ?? windowSecondsDefault) * 1_000)
  const firstListen = Promise.withResolvers<void>()
  const failed = { message: null as string | null }
  let retired: ProcessSnapshot = []
  let retiredRpcCounts: readonly RpcCount[] = []
  let isStopping = false
  let hasStarted = false
  let restartDelayMs = restartDelayMinMs

  const metrics = createMetrics({
    reader,
    meter: createRequestMeter(),
    version: readVersion(),
    databaseBytes: () => database.measureBytes(),
    figures: () => readWingFigures(wings, reader, settings.wings.configs),
    rpcCounts: () => [
      ...(settings.rpcCounts?.() ?? []),
      ...retiredRpcCounts,
      ...[...workers].flatMap(({ rpcCounts }) => rpcCounts),
    ],
    otherProcesses: async () => {
      await Promise.all([...workers].map(updateSnapshot))
      return [retired, ...[...workers].map(({ snapshot }) => snapshot)]
    },
  })
  const figures = openFigures(server, metrics)
  const workerSettings: WorkerSettings = {
    database: settings.database,
    server: { ...server, port },
    chains,
    chainIds,
    wings: settings.wings,
  }

  async function updateSnapshot(worker: RunningWorker): Promise<void> {
    if (!worker.isListening) return
    const told = snapshots.ask((id) => send(worker, { kind: 'takeSnapshot', id }))
    await Promise.race([told, delay(snapshotLimitMs, undefined, { ref: false })])
  }

  function startWorker(): void {
    const worker: RunningWorker = {
      process: cluster.fork(workerEnvironment),
      isListening: false,
      snapshot: [],
      rpcCounts: [],
    }
    workers.add(worker)
    worker.process.once('online', () => {
      send(worker, { kind: 'start', settings: workerSettings })
      mayListen.then(
        () => send(worker, { kind: 'listen' }),
        () => undefined,
      )
    })
    worker.process.on('message', (message: FromWorker) => hear(worker, message))
    worker.process.once('exit', (code, signal) => void replace(worker, signal ?? `exit code ${code}`))
    worker.process.on('error', (error) =>
      logger.warn({ err: error }, 'a worker of the API cannot be reached'),
    )
  }

  function hear(worker: RunningWorker, message: FromWorker): void {
    switch (message.kind) {
      case 'listening':
        worker.isListening = true
        restartDelayMs = restartDelayMinMs
        if ([...workers].every(({ isListening }) => isListening)) firstListen.resolve()
        return
      case 'failed':
        if (hasStarted) logger.error(`a worker of the API failed: ${message.message}`)
        else failed.message ??= message.message
        return
      case 'log':
        return relayLogLine(logger, message.line)
      case 'count':
        return send(worker, {
          kind: 'counted',
          id: message.id,
          counts: message.counted.map((each) => countRequest(...each)),
        })
      case 'readMetrics':
        return void answerMetrics(worker, message.id)
      case 'snapshot':
        worker.snapshot = message.snapshot
        worker.rpcCounts = message.rpcCounts
        return snapshots.answer(message.id, worker)
    }
  }

  async function answerMetrics(worker: RunningWorker, id: number): Promise<void> {
    send(worker, { kind: 'metrics', id, text: await metrics.text() })
  }

  async function replace(worker: RunningWorker, reason: string): Promise<void> {
    workers.delete(worker)
    retired = await retireSnapshots(retired, worker.snapshot)
    retiredRpcCounts = [...retiredRpcCounts, ...worker.rpcCounts]
    if (!hasStarted)
      return firstListen.reject(new StartError(failed.message ?? `A worker of the API ended: ${reason}`))
    const delayMs = restartDelayMs
    restartDelayMs = Math.min(restartDelayMaxMs, restartDelayMs * 2)
    // A supervisor may have sent the signal to the worker before the main process.
    await delay(delayMs, undefined, { ref: false })
    if (isStopping) return
    logger.warn({ pid: worker.process.process.pid }, `a worker of the API ended (${reason}) and is replaced`)
    startWorker()
  }

  const tellAll = (message: ToWorker) => {
    for (const worker of workers) send(worker, message)
  }
  const stopRelaying = onCommit(() => tellAll({ kind: 'committed' }))
  const statusTimer = setInterval(() => {
    const statuses = settings.statuses?.() ?? []
    if (statuses.some(({ lastError }) => lastError !== null)) tellAll({ kind: 'statuses', statuses })
  }, statusIntervalMs).unref()

  async function close(): Promise<void> {
    isStopping = true
    stopRelaying()
    clearInterval(statusTimer)
    const ended = Promise.all([...workers].map(endWorker))
    const closed = Promise.all([ended, figures?.close()]).then(() => reader.close())
    await Promise.all([ended, Promise.race([closed, delay(closeLimitMs, undefined, { ref: false })])])
  }

  cluster.setupPrimary({
    exec: fileURLToPath(moduleBeside(import.meta.url, './apiWorker')),
    args: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  for (let index = 0; index < server.workers; index++) startWorker()
  try {
    await Promise.all([mayListen, firstListen.promise])
    hasStarted = true
    await listenForFigures(figures, server)
  } catch (error) {
    await close()
    throw error
  }
  return { url: formatBaseUrl({ host, port }), close }
}

function send(worker: RunningWorker, message: ToWorker): void {
  // A worker that is gone waits for no answer.
  if (worker.process.isConnected()) worker.process.send(message, () => undefined)
}

async function endWorker(worker: RunningWorker): Promise<void> {
  if (worker.process.isDead()) return
  const ended = new Promise((resolve) => worker.process.once('exit', resolve))
  send(worker, { kind: 'stop' })
  const timer = setTimeout(() => worker.process.process.kill('SIGKILL'), stopGraceMs)
  await ended
  clearTimeout(timer)
}

/** Writes a JSON line of a worker's log into the log of this process. */
function relayLogLine(logger: Logger, line: string): void {
  // The worker's `createLogger` wrote the line.
  const { level, time: _time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>
  const write = levels[String(level)] ?? 'info'
  logger[write](facts, typeof msg === 'string' ? msg : '')
}

const levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error'>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
}
