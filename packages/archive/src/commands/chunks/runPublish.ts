import { readFileSync } from 'node:fs'
import { openWritablePlace } from '../../places/openPlace.ts'
import { publishChunks, type ChainPublication } from '../../chunks/publishChunks.ts'
import { readSigningKey, type SigningKey } from '../../chunks/signature.ts'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { describeChain } from '@attestry/core/model/chainState.ts'
import type { Environment } from '@attestry/host/config/interpolateVariables.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import type { CommandReport } from '@attestry/host/standardOutput.ts'
import { closing } from '@attestry/host/closing.ts'

/** Options of `attestry publish`, not yet checked. */
export interface PublishFlags {
  readonly to: string
  readonly key?: string
}

export interface PublishContext {
  readonly environment: Environment
  /** The version of this program. */
  readonly program: string
  readonly signal: AbortSignal
}

/**
 * Publishes the configured chains of an index.
 * @throws ConfigError, PlaceUnavailableError, ChunksRefusedError
 */
export async function runPublish(
  config: Config,
  flags: PublishFlags,
  { environment, program, signal }: PublishContext,
): Promise<CommandReport> {
  if (config.chains.length === 0) {
    throw new ConfigError(
      'attestry publish needs a configuration file, which says which chains are published; name it with --config',
    )
  }
  const key = flags.key === undefined ? null : readKeyFile(flags.key)
  const place = openWritablePlace(flags.to, 'The option --to', environment)
  await using reader = closing((await openExisting(config.database)).openReader())
  const done = await publishChunks({ reader, chains: config.chains, place, program, key, signal })
  const nameOf = ({ chainId }: ChainPublication) =>
    describeChain(chainId, config.chains.find((chain) => chain.chainId === chainId)?.name ?? '')
  const lines = done.map((chain) => `${nameOf(chain)}: ${describePublication(chain)}`)
  if (key !== null) lines.push(`signed; chunks.publicKey of those who begin with it: ${key.publicKey}`)
  const held = done.filter(({ hindrance }) => hindrance !== null)
  const failure =
    held.length === 0
      ? null
      : new PlaceUnavailableError(
          `Of ${done.length} chains, ${held.length} could not be published to ${place.name}`,
        )
  return { lines, failure }
}

function describePublication({ block, events, chunks, written, hindrance }: ChainPublication): string {
  const state =
    block === null
      ? 'not published'
      : `${events} events up to block ${block} in ${chunks} chunks, ${written} of them new`
  return hindrance === null ? state : `${state}; not published further: ${hindrance}`
}

function readKeyFile(file: string): SigningKey {
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`The file ${file} of --key cannot be read`, { cause: error })
  }
  return readSigningKey(pem, file)
}
