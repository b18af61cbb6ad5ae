import { bucketBoundsMs, type RequestMeter } from './requestMeter.ts'

/** A metric as the library's JSON has it, which `AggregatorRegistry.aggregate` reads. */
export interface MetricSnapshot {
  readonly name: string
  /** `counter`, `gauge` or `histogram`; the types of the library say that it is a number. */
  readonly type: unknown
}

const name = 'attestry_http_request_duration_seconds'

/**
 * The durations that a meter has counted, as a histogram of the library. The library's own histogram would look labels
 * up at every request; here a request costs the meter a few additions, and the histogram is made when the metrics are
 * collected.
 */
export function durationHistogram(meter: RequestMeter): MetricSnapshot {
  const values = meter.figures().flatMap(({ route, bucketCounts, elapsedMs }) => {
    let count = 0
    const buckets = bucketCounts.map((own, index) => {
      count += own
      const boundMs = bucketBoundsMs[index]
      const le = boundMs === undefined ? '+Inf' : boundMs / 1_000
      return { metricName: `${name}_bucket`, labels: { route, le }, value: count }
    })
    if (count === 0) return []
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: { route }, value: elapsedMs / 1_000 },
      { metricName: `${name}_count`, labels: { route }, value: count },
    ]
  })
  const help = 'Time from the start of a handler until its answer was made, by route.'
  const histogram = { name, help, type: 'histogram', aggregator: 'sum', values }
  return histogram
}
