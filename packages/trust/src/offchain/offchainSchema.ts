import { Type, type Static } from 'typebox'
import { block, flag, list, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { OffchainQuota } from '../offchainStore/offchainStore.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'

export const offchainQuotaDefault: OffchainQuota = { key: 10_000, address: 1_000, bytes: 256 * 2 ** 20 }

/** Stands among the keys where requests without a key may store too. */
const anyone = 'anyone'

const quota = (description: string, value: number) => wholeNumber(1, 1_000_000_000_000, value, description)

/** The block `offchain`. */
export const offchainSchema = block('The store of off-chain attestations (docs/offchain.md).', {
  store: flag(false, 'Whether off-chain attestations are stored that holders hand in.'),
  keys: list(Type.String({ minLength: 1, examples: ['gatekeeper'] }), {
    minItems: 1,
    description: `The names of the keys of server.keys that may store; ${anyone}: requests without a key too.`,
    examples: [['gatekeeper'], [anyone]],
  }),
  signerChains: list(Type.Integer({ minimum: 1 }), {
    description:
      'The chains on which contracts are asked for their signatures under statements that name no chain, as those of Sign Protocol. Each is one of chains.',
    examples: [[10]],
  }),
  quota: Type.Optional(
    block('How much may be stored.', {
      key: quota(
        'Statements that a key may store within a day (UTC); clients without a key share as many.',
        offchainQuotaDefault.key,
      ),
      address: quota(
        'Statements of one signer that are stored within a day (UTC).',
        offchainQuotaDefault.address,
      ),
      bytes: quota(
        'Bytes of statements that are stored within a day (UTC); each key or client has a share.',
        offchainQuotaDefault.bytes,
      ),
    }),
  ),
})

/**
 * The chains that are asked about statements that name none.
 * @throws MistakeFound
 */
export function resolveSignerChains(
  block: Static<typeof offchainSchema> | undefined,
  chainIds: readonly number[],
): readonly ChainId[] {
  const signerChains = block?.signerChains ?? []
  for (const [index, chainId] of signerChains.entries()) {
    if (chainIds.includes(chainId)) continue
    throw MistakeFound.at(
      ['offchain', 'signerChains', index],
      `must be the chainId of one of chains (${chainIds.join(', ')}), but is ${chainId}`,
    )
  }
  return [...new Set(signerChains)]
}

/** The part of a configuration by which contracts are asked for their signatures. */
export interface SignersConfig extends Pick<Config, 'database' | 'chains'> {
  /** The chains on which contracts are asked about statements that name no chain. */
  readonly signerChains: readonly ChainId[]
}

/** The writers and quotas of the store. */
export interface OffchainConfig {
  /** Names of keys; null: whoever asks. */
  readonly writers: readonly string[] | null
  readonly quota: OffchainQuota
}

/**
 * Resolves the block `offchain`; null if nothing is stored.
 * @param keys the names of `server.keys`.
 * @throws MistakeFound
 */
export function resolveOffchain(
  block: Static<typeof offchainSchema> | undefined,
  keys: readonly string[],
): OffchainConfig | null {
  if (block?.store !== true) return null
  const { keys: writers } = block
  if (writers === undefined) {
    throw MistakeFound.at(
      ['offchain', 'keys'],
      `must name who may store: keys of server.keys, or ${anyone}, but is missing`,
    )
  }
  for (const [index, name] of writers.entries()) {
    if (name === anyone || keys.includes(name)) continue
    const known = keys.length === 0 ? 'there is none' : `these are ${keys.join(', ')}`
    throw MistakeFound.at(
      ['offchain', 'keys', index],
      `must be the name of one of server.keys (${known}), or ${anyone}, but is ${quoteText(name)}`,
    )
  }
  return {
    writers: writers.includes(anyone) ? null : writers,
    quota: { ...offchainQuotaDefault, ...block.quota },
  }
}
