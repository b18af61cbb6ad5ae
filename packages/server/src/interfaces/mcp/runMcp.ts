import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { visibleText } from '@attestry/host/visibleText.ts'
import type { OpenServer, WingCommandLine } from '../../wing.ts'

/**
 * Serves the Model Context Protocol on standard input and output, over the configured database, until the input ends or
 * `signal` aborts.
 * Each message goes to the endpoint `/mcp` of an API that listens nowhere. The log goes to standard error.
 */
export async function runMcp(
  config: Config,
  openServer: WingCommandLine['openServer'],
  signal: AbortSignal,
): Promise<void> {
  const logger = createLogger({
    writeLine: (line) => process.stderr.write(`${visibleText(line)}\n`),
    human: false,
    debug: false,
  })
  const { rateLimit: _, metricsPort: __, ...server } = config.server
  const served = { ...config, server: { ...server, workers: 1 } }
  const { app, close } = await openServer(served, logger)
  try {
    await relayMessages(app, signal)
  } finally {
    await close()
  }
}

/** Resolves when the input has ended and its messages are answered. */
async function relayMessages(app: OpenServer['app'], signal: AbortSignal): Promise<void> {
  const transport = new StdioServerTransport()
  const answering = new Set<Promise<void>>()
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  transport.onmessage = (message) => {
    const answered = answer(message).finally(() => answering.delete(answered))
    answering.add(answered)
  }
  await transport.start()
  await ended
  await Promise.all(answering)
  await transport.close()

  async function answer(message: JSONRPCMessage): Promise<void> {
    const response = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      payload: JSON.stringify(message),
    })
    if (response.body !== '') await transport.send(response.json<JSONRPCMessage>())
  }
}
