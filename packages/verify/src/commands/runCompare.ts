import type { WriteLine } from '@attestry/host/standardOutput.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { IndexDiffersError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { compareDigests, type DigestFinding } from '../compareDigests.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { openOtherDigests, openOwnDigests } from './digestSources.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { readChainIds, type VerifyFlags } from './runVerify.ts'
import { closing } from '@attestry/host/closing.ts'

/**
 * Compares the index with that of another service by the digests of its chains, and writes a line for each chain and
 * for each event of the first block that differs. Only reads, also while another process indexes.
 * @throws IndexDiffersError when a chain differs or could not be compared.
 * @throws ConfigError for options that exclude each other.
 */
export async function runCompare(
  config: Config,
  url: string,
  flags: VerifyFlags,
  write: WriteLine,
  signal: AbortSignal,
): Promise<void> {
  const excluded = (['all', 'sample', 'seed', 'offline', 'repair'] as const).find(
    (option) => flags[option] !== undefined,
  )
  if (excluded !== undefined) {
    throw new ConfigError(`The options --against and --${excluded} exclude each other`)
  }
  const chainIds = readChainIds(flags)
  const other = openOtherDigests(url)
  await using reader = closing((await openExisting(config.database)).openReader())
  const differing = new Set<ChainId>()
  const unasked = new Set<ChainId>()
  const indexed = (await reader.listChains()).map(({ status }) => status.chainId)
  for (const chainId of chainIds ?? indexed) {
    for (const finding of await compareDigests(chainId, openOwnDigests(reader), other, signal)) {
      if (finding.kind === 'disagreement') differing.add(chainId)
      if (finding.kind === 'unasked') unasked.add(chainId)
      const { kind, ...rest } = finding
      await write(
        flags.json === true ? JSON.stringify({ type: kind, ...rest }) : formatDigestFinding(finding),
      )
    }
  }
  const [differences, uncompared] = [[...differing], [...unasked]]
  if (flags.json === true)
    await write(JSON.stringify({ type: 'summary', differing: differences, unasked: uncompared }))
  if (differences.length === 0 && uncompared.length === 0) return
  const told = [
    ...(differences.length === 0 ? [] : [`chains that differ: ${differences.join(', ')}`]),
    ...(uncompared.length === 0 ? [] : [`chains that could not be compared: ${uncompared.join(', ')}`]),
  ]
  throw new IndexDiffersError(`The two indexes were not found to be equal: ${told.join('; ')}`, {
    facts: { differing: differences, unasked: uncompared },
  })
}

const holders = { here: 'is only here', there: 'is only there', both: 'differs' } as const

function formatDigestFinding(finding: DigestFinding): string {
  const { chainId } = finding
  switch (finding.kind) {
    case 'agreed':
      return `chain ${chainId}: equal up to block ${finding.upToBlock} (${finding.events} events)`
    case 'unasked':
      return `chain ${chainId} could not be compared: ${finding.reason}`
    case 'disagreement': {
      const { type, id, eventIndex } = finding.event
      const record = id === null ? '' : ` ${id}`
      return (
        `chain ${chainId}, first difference in block ${finding.blockNumber}: ${type}${record} ` +
        `(event ${eventIndex}) ${holders[finding.holder]}`
      )
    }
  }
}
