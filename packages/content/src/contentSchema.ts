import { Type, type Static } from 'typebox'
import { block, flag, list, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'

const gateways = (what: string, example: string) =>
  list(
    Type.String({
      pattern: '^https?://[^\\s?#"<>]+$',
      title: 'a URL that starts with http:// or https://, without a query',
      examples: [example],
    }),
    {
      minItems: 1,
      description: `Gateways of ${what}, asked in turn until one has the content.`,
      examples: [[example]],
    },
  )

export const contentBytesDefault = 1_048_576
export const contentTotalBytesDefault = 8 * 2 ** 30
export const contentTimeoutDefault = 20

/** The block `content`. */
export const contentSchema = block(
  'Content of records that is kept elsewhere and fetched from gateways (docs/content.md).',
  {
    ipfs: gateways('IPFS', 'https://ipfs.io'),
    arweave: gateways('Arweave', 'https://arweave.net'),
    https: flag(
      false,
      'Whether files of agents and feedback are fetched from the https:// URLs that they name, which are anywhere.',
    ),
    maxBytes: wholeNumber(
      1,
      64 * 1_048_576,
      contentBytesDefault,
      'Bytes of the largest content that is kept.',
    ),
    maxTotalBytes: wholeNumber(
      1,
      Number.MAX_SAFE_INTEGER,
      contentTotalBytesDefault,
      'Bytes of all content that is kept; one account that names it gets at most a quarter of what the others leave.',
    ),
    timeoutSeconds: wholeNumber(
      1,
      600,
      contentTimeoutDefault,
      'How long one gateway may take for one content.',
    ),
  },
)

/** The places that content is fetched from. */
export interface ContentConfig {
  /** Base URLs that an identifier is appended to. */
  readonly ipfs: readonly string[]
  readonly arweave: readonly string[]
  /** Whether `https://` URLs of files are fetched. */
  readonly https: boolean
  readonly maxBytes: number
  readonly totalBytesMax: number
  readonly timeoutMs: number
}

/**
 * Resolves the block `content`; null without one.
 * @throws MistakeFound
 */
export function resolveContent(block: Static<typeof contentSchema> | undefined): ContentConfig | null {
  if (block === undefined) return null
  const { ipfs = [], arweave = [], https = false } = block
  if (ipfs.length === 0 && arweave.length === 0 && !https) {
    throw MistakeFound.at(
      ['content'],
      'must name gateways under ipfs or arweave, or have https: true; it has neither',
    )
  }
  return {
    ipfs: ipfs.map((url) => `${url.replace(/\/+(?:ipfs\/*)?$/, '')}/ipfs/`),
    arweave: arweave.map((url) => `${url.replace(/\/+$/, '')}/`),
    https,
    maxBytes: block.maxBytes ?? contentBytesDefault,
    totalBytesMax: block.maxTotalBytes ?? contentTotalBytesDefault,
    timeoutMs: (block.timeoutSeconds ?? contentTimeoutDefault) * 1_000,
  }
}
