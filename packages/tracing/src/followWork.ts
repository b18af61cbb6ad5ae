import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, type TracingChannel } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { traced } from '@attestry/core/model/traced.ts'

/** The context of the work that is under way: its span is the parent of what begins now. */
const contexts = new AsyncLocalStorage<Context>()

/**
 * Makes a span of each request, and of what `model/traced.ts` lists. Names and attributes are those of OpenTelemetry's
 * semantic conventions for HTTP, RPC and databases.
 */
export function followWork(): void {
  const tracer = trace.getTracer('attestry')

  follow(traced.rpc, (parent, { host, methods, headers }) => {
    const [first = ''] = methods
    const name = methods.length === 1 ? first : 'batch'
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': name, 'server.address': host }
    const span = tracer.startSpan(
      name,
      { kind: SpanKind.CLIENT, attributes: { ...attributes, 'attestry.calls': methods.length } },
      parent,
    )
    propagation.inject(trace.setSpan(parent, span), headers)
    return span
  })
  follow(traced.commit, (parent, { chainId, fromBlock, toBlock }) => {
    const attributes = {
      'attestry.chain': chainId,
      'attestry.block.from': fromBlock,
      'attestry.block.to': toBlock,
    }
    return tracer.startSpan('commit', { attributes }, parent)
  })
  follow(traced.statement, (parent, { system, text }) => {
    const [name = ''] = text.split(/\s/, 1)
    const attributes = { 'db.system.name': system, 'db.query.text': text }
    return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
  })

  const spans = new WeakMap<object, Span>()
  subscribe('http.server.request.start', (message) => {
    // Node.js publishes these (https://nodejs.org/api/diagnostics_channel.html#http).
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    const { method = '', url = '', headers } = request
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const attributes = { 'http.request.method': method, 'url.path': url.split('?', 1)[0] ?? '' }
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
    spans.set(request, span)
    response.once('close', () => {
      span.setAttribute('http.response.status_code', response.statusCode)
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    // Holds only for this request: each request has its own asynchronous scope.
    contexts.enterWith(trace.setSpan(parent, span))
  })
  traced.route.start.subscribe((message) => {
    const { request, path } = message as { request: IncomingMessage; path: string }
    spans.get(request)?.setAttribute('http.route', path)
    spans.get(request)?.updateName(`${request.method ?? ''} ${path}`)
  })
}

/** Makes a span of each piece of work of a channel; `begin` starts the span. */
function follow<Work extends object>(
  channel: TracingChannel<Work, unknown>,
  begin: (parent: Context, work: Work) => Span,
): void {
  const spans = new WeakMap<object, Span>()
  channel.start.bindStore(contexts, (work) => {
    const parent = contexts.getStore() ?? context.active()
    const span = begin(parent, work)
    spans.set(work, span)
    return trace.setSpan(parent, span)
  })
  channel.subscribe({
    start: () => undefined,
    asyncStart: () => undefined,
    // For work that returns a promise, `end` only means that the promise was created.
    end: (work) => {
      if ('result' in work || 'error' in work) spans.get(work)?.end()
    },
    asyncEnd: (work) => spans.get(work)?.end(),
    error: (work) => {
      const { error } = work
      const message = error instanceof Error ? error.message : String(error)
      spans.get(work)?.setStatus({ code: SpanStatusCode.ERROR, message })
    },
  })
}
