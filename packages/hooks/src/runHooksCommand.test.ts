import { afterEach, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { hookEvents } from './hookConfig.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { configWithoutFile } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { runHooksCommand } from './runHooksCommand.ts'

const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
afterEach(() => remove())

const filter = { schema: null, attester: null, recipient: null, chainId: null, protocol: null, fields: [] }
const config: Parameters<typeof runHooksCommand>[0] = {
  ...configWithoutFile({ environment: {}, known: knownProtocols, endpointsNeeded: false }),
  database: { kind: 'sqlite', path },
  hooks: ['payments', 'quiet'].map((name) => ({
    name,
    url: 'https://r.example/?key=s3cr3t',
    secrets: ['s3cr3t'],
    events: new Set(hookEvents),
    when: 'head',
    filter,
    staleAfterMs: 1,
  })),
}

test('hooks are listed with their problems, without their secrets, and take orders', async () => {
  const writer = openSqliteWriter(path)
  const failure = {
    since: 0,
    elapsedMs: 0,
    attempts: 3,
    nextAt: 60_000,
    message: 'the receiver answered 500',
  }
  const state = {
    place: null,
    spans: {},
    round: 0,
    staleChains: [],
    failure,
    stopped: null,
    deliveredCount: 12,
    deliveredAt: 0,
  }
  await writer.saveHooks([{ name: 'payments', stateJson: JSON.stringify(state), takenOrderJson: null }])
  await writer.close()
  const listed = await runHooksCommand(config, [], {})
  expect(listed).toEqual([
    'payments  failing  12 delivered, last 1970-01-01T00:00:00.000Z  r.example',
    '  the receiver answered 500 (3 attempts since 1970-01-01T00:00:00.000Z, the next at 1970-01-01T00:01:00.000Z)',
    'quiet  new  0 delivered  r.example',
  ])
  expect((await runHooksCommand(config, ['list'], { json: true })).join()).not.toContain('s3cr3t')

  await runHooksCommand(config, ['pause', 'quiet'], {})
  await runHooksCommand(config, ['replay', 'payments'], { from: '2026-11-01T00:00:00Z' })
  const reader = openSqliteReader(path)
  const rows = await reader.listHooks()
  await reader.close()
  expect(rows.map(({ name, paused }) => [name, paused])).toEqual([
    ['payments', false],
    ['quiet', true],
  ])
  expect(JSON.parse(rows[0]?.orderJson ?? '')).toMatchObject({
    kind: 'replay',
    from: { kind: 'time', timestamp: 1_793_491_200 },
  })

  for (const [words, flags, sentence] of [
    [['stop', 'payments'], {}, '"stop" is no order to a hook; the orders are list, pause, resume and replay'],
    [['pause', 'payment'], {}, 'No hook is called "payment"; did you mean payments?'],
    [['pause'], {}, 'attestry hooks pause needs the name of a hook; the hooks are payments, quiet'],
    [['replay', 'quiet'], {}, 'The option --from must be a block number, a time such as'],
    [['replay', 'quiet'], { from: '12' }, 'the option --chain must be one of'],
  ] as const) {
    await expect(runHooksCommand(config, words, flags)).rejects.toThrow(sentence)
  }
})
