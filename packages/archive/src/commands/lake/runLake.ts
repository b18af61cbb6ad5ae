import { setTimeout as delay } from 'node:timers/promises'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { ConfigError, StartError } from '@attestry/core/errors/configErrors.ts'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import type { ParquetRow } from '../../export/parquet/parquetColumns.ts'
import { openTable, tryPlace, type LakeTable } from '../../lake/openTable.ts'
import { runRound, type Round, type RoundOptions } from '../../lake/runRound.ts'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { describeChain } from '@attestry/core/model/chainState.ts'
import { openWritablePlace } from '../../places/openPlace.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { Environment } from '@attestry/host/config/interpolateVariables.ts'
import { readSchemaId } from '../parquet/runParquetExport.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { createLakeSource, lakeTables } from './lakeSource.ts'
import { closing } from '@attestry/host/closing.ts'

/** Options of `attestry lake`, not yet checked. */
export interface LakeFlags {
  readonly to: string
  readonly schema?: readonly string[]
  readonly once?: boolean
}

/** The part of the configuration that the lake needs. */
interface LakeConfig {
  readonly database: Config['database']
  readonly chains: readonly Pick<Config['chains'][number], 'chainId' | 'name' | 'finality'>[]
}

export interface LakeContext {
  readonly environment: Environment
  /** The version of this program. */
  readonly program: string
  readonly printLine: (line: string) => void
  readonly signal: AbortSignal
}

/** Between two looks at the index: blocks take minutes to become final, and each look that finds some is a snapshot. */
const pauseMs = 60_000

/**
 * Keeps the tables of a lake current until `signal` aborts, or brings them up to now once.
 * @throws ConfigError, StartError; with `once`, and for a table that cannot be continued, PlaceUnavailableError and
 * LakeRefusedError.
 */
export async function runLake(
  config: LakeConfig,
  { to, schema: ids = [], once = false }: LakeFlags,
  { environment, program, printLine, signal }: LakeContext,
): Promise<void> {
  if (config.chains.length === 0) {
    throw new ConfigError(
      'attestry lake needs a configuration file, which says which blocks of a chain are final; name it with --config',
    )
  }
  const place = openWritablePlace(to, 'The option --to', environment)
  await using reader = closing((await openExisting(config.database)).openReader())
  const nameOf: NameOf = (chainId) =>
    describeChain(chainId, config.chains.find((chain) => chain.chainId === chainId)?.name ?? '')
  const schemas = await Promise.all(ids.map((id) => findSchema(reader, id)))
  const source = createLakeSource(reader, schemas, program)
  const open = () => Promise.all(lakeTables(schemas).map((table) => openTable({ ...table, place, signal })))
  const { chains } = config
  await tryPlace(place, signal)
  let tables: Tables | null = await open()
  let told = ''
  while (!signal.aborted) {
    try {
      tables ??= await open()
      const hindrances = await bringUp({ source, chains, tables, signal }, nameOf, printLine)
      if (once) return report(tables, hindrances, nameOf, printLine)
      const lines = [...hindrances].map(
        ([chainId, why]) => `${nameOf(chainId)}: not in the lake any further: ${why}`,
      )
      if (told !== lines.join()) for (const line of lines) printLine(line)
      told = lines.join()
    } catch (error) {
      for (const table of tables ?? []) await table.abandon()
      if (signal.aborted && once)
        throw new StartError('Stopped before the lake has all; the same command goes on')
      if (signal.aborted) return
      const isPassing = error instanceof PlaceUnavailableError || error instanceof StoreUnavailableError
      if (once || !isPassing) throw error
      tables = null
      const message = `the lake waits: ${describeError(error)}`
      if (told !== message) printLine(message)
      told = message
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

type Tables = readonly LakeTable<ParquetRow>[]
type NameOf = (chainId: ChainId) => string

/** Makes rounds until the lake has all that is final. Returns why chains are not in the lake any further. */
async function bringUp(
  options: RoundOptions<ParquetRow>,
  nameOf: NameOf,
  printLine: (line: string) => void,
): Promise<Round['hindrances']> {
  for (;;) {
    const round = await runRound(options)
    const added = [...round.rows].filter(([, count]) => count > 0)
    if (added.length > 0) {
      printLine(added.map(([name, count]) => `${count.toLocaleString('en')} rows of ${name}`).join(', '))
    }
    for (const chainId of round.dropped) {
      printLine(
        `${nameOf(chainId)}: blocks of the lake are not those of the index; its rows are written anew`,
      )
    }
    if (!round.hasMore) return round.hindrances
  }
}

/** @throws PlaceUnavailableError if a chain is not in the lake as far as it is final. */
function report(
  tables: Tables,
  hindrances: Round['hindrances'],
  nameOf: NameOf,
  printLine: (line: string) => void,
): void {
  const tips = new Map(tables[0]?.segments().map((segment) => [segment.chainId, segment]))
  for (const { chainId, block, digest } of tips.values()) {
    printLine(`${nameOf(chainId)}: up to block ${block}, digest ${digest}`)
  }
  for (const [chainId, why] of hindrances)
    printLine(`${nameOf(chainId)}: not in the lake any further: ${why}`)
  if (hindrances.size > 0) {
    throw new PlaceUnavailableError(`${hindrances.size} of the chains could not be brought into the lake`)
  }
}

async function findSchema(reader: Pick<IndexReader, 'findSchema'>, id: string): Promise<StoredSchema> {
  const schema = await reader.findSchema(readSchemaId(id))
  if (schema === null) throw new StartError(`The schema ${id} of --schema is not indexed here`)
  return schema
}
