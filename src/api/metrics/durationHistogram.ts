import { Histogram, type Registry } from 'prom-client'
import { bucketBoundsMs, type RequestMeter } from './requestMeter.ts'

type HistogramValues = ReturnType<Histogram['get']>

/** A histogram whose values are counted elsewhere: the library's own would look labels up at every request. */
export class DurationHistogram extends Histogram<'route'> {
  readonly #meter: RequestMeter
  readonly #metric: string

  constructor(registry: Registry, name: string, meter: RequestMeter) {
    super({
      name,
      help,
      labelNames: ['route'],
      registers: [registry],
    })
    this.#meter = meter
    this.#metric = name
  }

  /** What the library asks for when it writes text; its types do not mention it. */
  getForPromString(): HistogramValues {
    return this.get()
  }

  override get(): HistogramValues {
    const values = this.#meter.figures().flatMap(({ route, bucketCounts, elapsedMs }) => {
      let count = 0
      const buckets = bucketCounts.map((own, index) => {
        count += own
        const boundMs = bucketBoundsMs[index]
        const le = boundMs === undefined ? '+Inf' : boundMs / 1_000
        return { metricName: `${this.#metric}_bucket`, labels: { route, le }, value: count }
      })
      if (count === 0) return []
      return [
        ...buckets,
        { metricName: `${this.#metric}_sum`, labels: { route }, value: elapsedMs / 1_000 },
        { metricName: `${this.#metric}_count`, labels: { route }, value: count },
      ]
    })
    const figures = { name: this.#metric, help, type: 'histogram', aggregator: 'sum', values }
    // The library's types know neither that the type is a text nor that its own histograms leave `collect` out.
    return Promise.resolve(figures) as unknown as HistogramValues
  }
}

const help = 'Time from the start of a handler until its answer was handed to the network, by route.'
