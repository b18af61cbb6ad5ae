import { Type, type Static } from 'typebox'
import { block, text } from '@attestry/host/config/schemaKeys.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { NamedId } from '@attestry/core/model/knownNames.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { MistakeFound, settleParts } from '@attestry/host/config/mistakes.ts'

/** The source of a name if its label names none. */
const sourceDefault = 'configuration'

/** The block `labels`. */
export const labelsSchema = Type.Record(
  Type.String(),
  block(null, {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'What people call the address or schema.',
      examples: ['Example Identity'],
    }),
    link: text({
      pattern: '^https?://[^\\s"<>]+$',
      title: 'a URL that starts with http:// or https://',
      description: 'A page about it.',
      examples: ['https://identity.example'],
    }),
    source: text({
      minLength: 1,
      maxLength: 100,
      default: sourceDefault,
      description: 'Who gives the name; shown beside it.',
      examples: ['identity.example'],
    }),
  }),
  {
    description: 'Names of addresses, and of schemas by their composite ids, for answers and the explorer.',
    examples: [
      {
        '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5': {
          name: 'Example Identity',
          link: 'https://identity.example',
        },
      },
    ],
  },
)

/** The block `ens`. */
export const ensSchema = block('Names of ENS for addresses; without it, none are read.', {
  rpc: Type.String({
    minLength: 1,
    description: 'A JSON-RPC endpoint of Ethereum; ${NAME} is replaced by an environment variable.',
    examples: ['https://rpc.example'],
  }),
})

/** The names that answers have. */
export interface NamesConfig {
  readonly labels: readonly NamedId[]
  /** The endpoint of ENS; may hold a key. Null: no names of ENS. */
  readonly ensRpc: string | null
}

/** @throws MistakeFound */
export function resolveNames(
  labels: Static<typeof labelsSchema> = {},
  ens?: Static<typeof ensSchema>,
): NamesConfig {
  const seen = new Map<string, string>()
  const parts = Object.entries(labels).map(([text, label]) => () => {
    const id = readId(text)
    const other = id === null ? undefined : seen.get(id)
    if (id === null || other !== undefined) {
      throw MistakeFound.at(
        ['labels', text],
        id === null
          ? `must be under an address or the composite id of a schema, but ${quoteText(text)} is neither`
          : `must name each address and schema once, but ${quoteText(other ?? '')} is the same`,
      )
    }
    seen.set(id, text)
    return { id, name: label.name, link: label.link ?? null, source: label.source ?? sourceDefault }
  })
  return { labels: settleParts<readonly NamedId[]>(parts), ensRpc: readRpc(ens?.rpc) }
}

function readId(text: string): string | null {
  const address = parseAddress(text)
  if (address !== null) return checksumAddress(address)
  const parsed = parseCompositeId(text)
  return parsed.kind === 'record' ? formatCompositeId(parsed.key) : null
}

/** A command that asks no endpoint needs no variable for one (`interpolateVariables`). */
function readRpc(rpc: string | undefined): string | null {
  if (rpc === undefined || rpc.includes('${')) return null
  if (/^https?:$/.test(URL.parse(rpc)?.protocol ?? '')) return rpc
  throw MistakeFound.at(['ens', 'rpc'], 'must be a URL that starts with http:// or https://')
}
