import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { createRequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import type { ApiTestStore } from '@attestry/server/testing/apiTestStore.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { noFigures } from '@attestry/server/pipeline/testing/noFigures.ts'

interface AlertRules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

let store: ApiTestStore
/** The names of the figures that `/metrics` tells. */
let figures: ReadonlySet<string>

beforeAll(async () => {
  store = await createSqliteTestStore()
  const reader = store.openReader()
  const metrics = createMetrics({ reader, meter: createRequestMeter(), ...noFigures })
  const text = await metrics.text()
  figures = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? ''))
  await reader.close()
})

afterAll(() => store.remove())

test('the dashboard asks for figures that exist', () => {
  const { panels } = JSON.parse(read('grafana.json')) as Dashboard
  expectKnown(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))
})

test('the alert rules ask for figures that exist', () => {
  const { groups } = parse(read('alerts.yml')) as AlertRules
  expectKnown(groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)))
})

function read(name: string): string {
  return readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
}

function expectKnown(expressions: readonly string[]): void {
  const named = expressions.flatMap((text) => text.match(/\b(?:attestry|process|nodejs)_\w+/g) ?? [])
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !figures.has(name.replace(/_bucket$/, '')))).toEqual([])
}
