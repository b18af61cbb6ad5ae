import type { FastifyInstance } from 'fastify'
import { vitalRoute } from '../limits/meterRoutes.ts'
import type { Metrics } from './createMetrics.ts'

/** Adds `/metrics`, if metrics are configured. */
export function addMetricsEndpoint(app: FastifyInstance, metrics: Metrics | undefined): void {
  if (metrics === undefined) return
  app.register((scope, _options, done) => {
    scope.route({
      method: ['GET', 'HEAD'],
      url: '/metrics',
      config: vitalRoute,
      handler: async (_request, reply) =>
        await reply
          .headers({
            'content-type': metrics.contentType,
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
          })
          .send(await metrics.text()),
    })
    done()
  })
}
