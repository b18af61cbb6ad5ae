import { afterEach, expect, test } from 'vitest'
import { connectSharedCounts, type SharedCounts } from './connectSharedCounts.ts'
import { startCountServer, type CountServer } from '@attestry/host/testing/startCountServer.ts'

let server: CountServer | null = null
const open: SharedCounts[] = []
const lines: string[] = []

afterEach(async () => {
  for (const counts of open.splice(0)) counts.close()
  await server?.stop()
  server = null
  lines.length = 0
})

/** The counts as one of several machines has them. */
async function connect(url: string, windowMs = 60_000): Promise<SharedCounts> {
  const log = (line: string) => void lines.push(line)
  const counts = await connectSharedCounts({ url, windowMs, logger: { warn: log, info: log } })
  open.push(counts)
  return counts
}

const currentOf = async (counts: SharedCounts, client = 'a') => (await counts.count(client)).current

test('machines count the requests of a client, and their costs, together', async () => {
  server = await startCountServer()
  const [one, other] = [await connect(server.url), await connect(server.url)]
  expect(await currentOf(one)).toBe(1)
  expect(await currentOf(other)).toBe(2)
  expect((await one.count('a', 7.4)).current).toBe(2)
  const count = await other.count('a')
  expect(count).toMatchObject({ current: 3, costMs: 7 })
  expect(count.ttlMs).toBeGreaterThan(0)
  expect(count.ttlMs).toBeLessThanOrEqual(60_000)
  expect(await currentOf(other, 'b')).toBe(1)
})

test('a window ends, and another one begins', async () => {
  server = await startCountServer()
  const counts = await connect(server.url, 300)
  await expect.poll(() => currentOf(counts)).toBe(2)
  await expect.poll(() => currentOf(counts), { interval: 320 }).toBe(1)
})

test('without an answer a process counts by itself, says so once, and asks again', async () => {
  server = await startCountServer()
  const counts = await connect(server.url)
  server.isSilent = true
  expect(await currentOf(counts)).toBe(1)
  const before = server.increments
  for (let request = 2; request < 50; request++) expect(await currentOf(counts)).toBe(request)
  // Requests do not wait for a server that is away.
  expect(server.increments - before).toBeLessThan(48)
  const said = lines.filter((line) => line.includes('does not answer'))
  expect(said).toHaveLength(1)
  expect(said[0]).not.toContain('s3cr3t')
  const port = Number(new URL(server.url).port)
  await server.stop()
  server = await startCountServer(port)
  const isBack = async () => {
    await counts.count('b')
    return lines.some((line) => line.includes('answers again'))
  }
  await expect.poll(isBack).toBe(true)
})
