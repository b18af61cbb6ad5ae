import { platform } from 'node:os'
import { createProcessFigures, metricsContentType } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { createRequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { collectWhileServing } from '@attestry/host/collectEarly.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { describeListenFailure } from '@attestry/host/listenAddress.ts'
import { openApi, type OpenApi } from '../openApi.ts'
import { openCommitTeller } from '@attestry/core/changes/commitHints.ts'
import { tidyAfterStart } from '../tidyAfterStart.ts'
import { createOpenQuestions } from '@attestry/host/openQuestions.ts'
import { createRemoteCounts } from './createRemoteCounts.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './workerMessages.ts'
import { startTracing } from '@attestry/tracing/startTracing.ts'

/**
 * The body of a worker process: serves the API on the port that all workers share. `startWorkers` starts the process
 * and sends `WorkerSettings`. `node:cluster` ends a worker whose main process is gone.
 */
const logger = createLogger({
  writeLine: (line) => send({ kind: 'log', line }),
  human: false,
  debug: (process.env['ATTESTRY_DEBUG'] ?? '') !== '',
})
const texts = createOpenQuestions<string>()
const counts = createRemoteCounts((id, counted) => send({ kind: 'count', id, counted }))
const meter = createRequestMeter()
const figures = createProcessFigures(meter)
const commits = openCommitTeller()
const mayListen = Promise.withResolvers<void>()
let statuses: readonly ChainStatus[] = []
let api: OpenApi | null = null
let isEnding = false

process.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'start':
      return void start(message.settings).catch(fail)
    case 'listen':
      return mayListen.resolve()
    case 'counted':
      return counts.counted(message.id, message.counts)
    case 'metrics':
      return texts.answer(message.id, message.text)
    case 'statuses':
      statuses = message.statuses
      return
    case 'committed':
      return commits.tell()
    case 'takeSnapshot':
      return void tellFigures(message.id)
    case 'stop':
      return void end()
  }
})
// A Ctrl-C reaches every process of the terminal: workers wait for `stop` from the main process.
for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined)
process.on('SIGTERM', () => void end())
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

async function start(settings: WorkerSettings): Promise<void> {
  const { database, server, chains, chainIds } = settings
  await startTracing()
  collectWhileServing()
  const text = () => texts.ask((id) => send({ kind: 'readMetrics', id }))
  api = await openApi(
    {
      database,
      server,
      chains,
      chainIds,
      logger,
      statuses: () => statuses,
      wings: settings.wings,
    },
    { meter, metrics: { contentType: metricsContentType, text }, countRequest: counts.count },
  )
  // On Linux the kernel distributes connections. Elsewhere the main process accepts and distributes them.
  const address = { host: server.host, port: server.port, reusePort: platform() === 'linux' }
  await api.app.ready()
  await mayListen.promise
  try {
    await api.app.listen(address)
  } catch (error) {
    throw new Error(describeListenFailure(error, server), { cause: error })
  }
  send({ kind: 'listening' })
  tidyAfterStart()
}

async function tellFigures(id: number): Promise<void> {
  send({
    kind: 'snapshot',
    id,
    snapshot: await figures.snapshot(),
    rpcCounts: api?.rpcCounts() ?? [],
  })
}

async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  await api?.close().catch(() => undefined)
  process.exit()
}

function fail(error: unknown): void {
  send({ kind: 'failed', message: describeError(error) }, () => process.exit(1))
}

function send(message: FromWorker, sent: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, sent)
}
