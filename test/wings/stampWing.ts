import { Type } from 'typebox'
import { block, text } from '@attestry/host/config/schemaKeys.ts'
import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { configOf } from '@attestry/host/config/configPart.ts'
import { MistakeFound } from '@attestry/host/config/mistakes.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'

interface StampConfig {
  readonly text: string
  /** The file into which the follower of the journal writes the number of attestations. */
  readonly file: string
}

const keys = {
  stamp: Type.Optional(
    block('A stamp on every record.', {
      text: text({ default: 'seen', description: 'The words of the stamp.', examples: ['seen'] }),
      file: text({ default: 'stamps', description: 'The file of the count.', examples: ['stamps'] }),
    }),
  ),
}

/** A wing that brings one of everything that a wing can bring. */
export const stampWing: Wing<StampConfig, typeof keys> = {
  name: 'stamp',
  keys,
  partPaths: { stamps: ['/scan/stamps'] },
  resolve: ({ file }) => {
    const { text: words = 'seen', file: path = 'stamps' } = file.stamp ?? {}
    if (words !== '') return { text: words, file: path }
    throw MistakeFound.at(['stamp', 'text'], 'must have a word, but is empty')
  },
  commands: ({ add, loadForReading }) => {
    withHelp(withConfig(add('stamp', 'print the stamp')), 'attestry stamp').action(
      async (flags: ConfigFlag) => {
        await writeLines([configOf(stampWing, loadForReading(flags).wings).text])
      },
    )
  },
  serve: async (_host, config) => (await import('./serveStamps.ts')).serveStamps(config.text),
  figures: async (_reader, { file }) => {
    const { readCount } = await import('./countFile.ts')
    const value = await readCount(file)
    return [
      {
        kind: 'counter',
        name: 'attestry_stamps_total',
        help: 'Attestations that were stamped.',
        samples: [{ labels: { ink: 'blue' }, value }],
      },
    ]
  },
  index: async (host, { file }) => (await import('./followAttestations.ts')).followAttestations(host, file),
}
