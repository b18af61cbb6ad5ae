import { setTimeout as delay } from 'node:timers/promises'
import { encodeAbiParameters } from 'viem'
import { createContentAgents } from '../../addressGuard.ts'
import { contentLayout, openContentStore } from '../../contentStore.ts'
import { createDiscovery } from '../../discoverContent.ts'
import { createHostPatience } from '../../hostPatience.ts'
import { runContent } from '../../runContent.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAttestation } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { openBeside } from '@attestry/host/openBeside.ts'
import { textOfVictim } from './textOfVictim.ts'

/**
 * A process that fetches the content of `count` records until a test kills it. Arguments: the database and the URL of
 * the gateway as JSON, and the number of records.
 */
const [config = '', base = '', count = ''] = process.argv.slice(2)
const index = createSampleIndex()
index.attestations = Array.from({ length: Number(count) }, (_, number) => {
  const pointer = contentIdOfFile(Buffer.from(textOfVictim(number)))
  const data = encodeAbiParameters([{ type: 'string' }], [pointer]) as Hex
  return sampleAttestation(1_000 + number, { dataLocation: 'IPFS', data })
})
const store = openContentStore(await openBeside(JSON.parse(config) as DatabaseConfig, contentLayout))
await runContent(
  {
    store,
    options: {
      ipfs: [base],
      arweave: [],
      https: false,
      hosts: createHostPatience(),
      maxBytes: 4_096,
      timeoutMs: 600_000,
      ...createContentAgents(600_000),
    },
    totalBytesMax: 1_000_000,
    discover: createDiscovery({
      reader: openTestIndex(index),
      store,
      decodePayload: decodeAttestedPayload,
      now: Date.now,
    }),
    now: Date.now,
    sleep: (delayMs, signal) => delay(Math.min(delayMs, 50), undefined, { signal }),
    log: (_level, message) => process.stderr.write(`${message}\n`),
  },
  new AbortController().signal,
)
