/**
 * Counts of answered requests, in arrays: a request costs a few additions. Latency is the time from the handler's start
 * until its answer was made.
 */
export interface RequestMeter {
  /** The counts of a route. A path has one route, for every base and method. */
  route(path: string): RouteMeter
  /** Requests that handlers are working on. */
  inFlight: number
  /** Requests that wait for a record; they are not in flight. */
  waiting: number
  /** A request begins to wait. */
  suspend(): void
  /** A request has waited: that time counts as no latency of its answer. */
  resume(response: object, waitedMs: number): void
  waitedMs(response: object): number
  /** Requests refused under overload. */
  shedCount: number
  /** Streams of events that are open. */
  openStreams: number
  figures(): readonly RouteFigures[]
}

export interface RouteMeter {
  /** Counts an answer whose handler took `elapsedMs`. */
  answered(statusCode: number, elapsedMs: number): void
  /** Counts an answer without a handler, or whose time is counted already. */
  counted(statusCode: number): void
  /** Counts the time of an answer whose status is counted elsewhere. */
  timed(elapsedMs: number): void
}

export interface RouteFigures {
  readonly route: string
  /** Answers by status; only statuses that were answered. */
  readonly statuses: readonly { readonly statusCode: number; readonly count: number }[]
  /** The number of answers in each bucket, not cumulated; the last bucket has no upper bound. */
  readonly bucketCounts: readonly number[]
  readonly elapsedMs: number
}

/** Upper bounds of the buckets of latencies. */
export const bucketBoundsMs: readonly number[] = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500]

const statusMax = 600

export function createRequestMeter(): RequestMeter {
  const routes = new Map<string, CountingRoute>()
  const waits = new WeakMap<object, number>()
  const meter: RequestMeter = {
    inFlight: 0,
    waiting: 0,
    suspend: () => {
      meter.inFlight -= 1
      meter.waiting += 1
    },
    resume: (response, waitedMs) => {
      meter.inFlight += 1
      meter.waiting -= 1
      waits.set(response, (waits.get(response) ?? 0) + waitedMs)
    },
    waitedMs: (response) => waits.get(response) ?? 0,
    shedCount: 0,
    openStreams: 0,
    route: (path) => {
      const known = routes.get(path)
      if (known !== undefined) return known
      const route = createRoute(path)
      routes.set(path, route)
      return route
    },
    figures: () => [...routes.values()].map((route) => route.figures()),
  }
  return meter
}

interface CountingRoute extends RouteMeter {
  figures(): RouteFigures
}

function createRoute(path: string): CountingRoute {
  const statusCounts = new Float64Array(statusMax)
  const bucketCounts = new Float64Array(bucketBoundsMs.length + 1)
  let totalMs = 0

  function counted(statusCode: number): void {
    if (statusCode < statusMax) statusCounts[statusCode] = (statusCounts[statusCode] ?? 0) + 1
  }

  function timed(elapsedMs: number): void {
    let bucket = 0
    while (elapsedMs > (bucketBoundsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    bucketCounts[bucket] = (bucketCounts[bucket] ?? 0) + 1
    totalMs += elapsedMs
  }

  return {
    answered: (statusCode, elapsedMs) => {
      counted(statusCode)
      timed(elapsedMs)
    },
    counted,
    timed,
    figures: () => ({
      route: path,
      statuses: [...statusCounts].flatMap((count, statusCode) =>
        count === 0 ? [] : [{ statusCode, count }],
      ),
      bucketCounts: [...bucketCounts],
      elapsedMs: totalMs,
    }),
  }
}
