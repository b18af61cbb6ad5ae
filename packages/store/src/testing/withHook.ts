import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'

/** A writer that awaits `hook` after each commit. */
export function withHook(writer: IndexWriter, hook: () => Promise<void>): IndexWriter {
  return {
    ...writer,
    applyBlocks: async (...parameters) => {
      const summary = await writer.applyBlocks(...parameters)
      await hook()
      return summary
    },
    revertBlocks: async (...parameters) => {
      const summary = await writer.revertBlocks(...parameters)
      await hook()
      return summary
    },
  }
}
