import { Type } from 'typebox'
import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { block, text, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { writeReport } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { PublishFlags } from '../commands/chunks/runPublish.ts'

/** The checks of published chunks. */
export interface ChunksConfig {
  /** Spans of blocks of each published chain that the endpoints are asked for; 0: none. */
  readonly sample: number
  /** The one key that a manifest must be signed by; null: it need not be signed. */
  readonly publicKey: string | null
  /** The place of all published chains (`--from`); null: each chain has its place in the configuration. */
  readonly from: string | null
}

export const sampleDefault = 300

const keys = {
  chunks: Type.Optional(
    block('How published chunks are checked (docs/publish.md).', {
      sample: wholeNumber(
        0,
        100_000,
        sampleDefault,
        'Spans of blocks of each published chain that its endpoints are asked for.',
      ),
      publicKey: text({
        pattern: '^[A-Za-z0-9_-]{43}$',
        title: 'the public key that attestry publish prints, of 43 letters, digits, - and _',
        description: 'The one key that a manifest must be signed by; without it, none need be signed.',
        examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
      }),
    }),
  ),
}

/** History of chains as published files. */
export const chunksWing: Wing<ChunksConfig, typeof keys, NoKeys> = {
  name: 'chunks',
  keys,
  resolve: ({ file: { chunks = {} } }) => ({
    sample: chunks.sample ?? sampleDefault,
    publicKey: chunks.publicKey ?? null,
    from: null,
  }),
  startOptions: (start) => {
    start.option('--from <place>', 'begin chains with the chunks of a URL, folder or s3://BUCKET/PREFIX')
  },
  withOptions: (chunks, { from = null }: { readonly from?: string | null }) => ({ ...chunks, from }),
  beforeIndexing: async ({ config, ...host }, chunks) => {
    if (!areNamed(config.chains, chunks)) return
    const { runReplay } = await import('../commands/chunks/runReplay.ts')
    await runReplay({ ...host, config: { ...config, chunks } })
  },
  index: async (host, chunks) => {
    if (!areNamed(host.chains, chunks)) return undefined
    const { createOpenPublished } = await import('../commands/chunks/openPublished.ts')
    return { ended: Promise.resolve(), openPublished: createOpenPublished(host, chunks) }
  },
  commands: ({ add, loadForReading, environment }) => {
    withHelp(
      withConfig(add('publish', 'publish the history of the configured chains, for others to begin with')),
      'attestry publish --to /var/www/attestry',
      publishHelp,
    )
      .requiredOption('--to <place>', 'a folder, or s3://BUCKET/PREFIX')
      .option('--key <file>', 'a private key of Ed25519 in PEM, which signs the manifest')
      .action(async (flags: ConfigFlag & PublishFlags) => {
        const { runPublish } = await import('../commands/chunks/runPublish.ts')
        const config = loadForReading(flags)
        const program = readVersion()
        await untilStopped(async (signal) => {
          await writeReport(await runPublish(config, flags, { environment, program, signal }))
        })
      })
  },
}

/** Whether a chain begins with chunks; only then are the modules loaded that read them. */
function areNamed(chains: readonly ChainConfig[], chunks: ChunksConfig): boolean {
  return chains.some((chain) => placeOf(chain, chunks) !== null)
}

/** The place of the chunks that a chain begins with; null without one. */
export function placeOf(
  { from }: Pick<ChainConfig, 'from'>,
  chunks: Pick<ChunksConfig, 'from'>,
): string | null {
  return chunks.from ?? from
}

const publishHelp =
  'Adds what is new and final, beside a running index. A bucket takes AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION\n' +
  'and, where it is not that of AWS, AWS_ENDPOINT_URL. Exit codes: 0 published, 1 failed, or a chain is not published.'
