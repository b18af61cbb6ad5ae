import type { MetricsOptions } from '../metrics/createMetrics.ts'

/** Figures of a program of which nothing is known, for `createMetrics`. */
export const noFigures: Omit<MetricsOptions, 'reader' | 'meter'> = {
  version: '0.0.0',
  databaseBytes: () => null,
  rpcCounts: () => [],
}
