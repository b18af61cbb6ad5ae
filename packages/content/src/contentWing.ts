import { Type } from 'typebox'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { openBeside } from '@attestry/host/openBeside.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { contentSchema, resolveContent, type ContentConfig } from './contentSchema.ts'

const keys = { content: Type.Optional(contentSchema) }

/** Content that records point to; null if none is fetched or shown. */
export const contentWing: Wing<ContentConfig | null, typeof keys, NoKeys> = {
  name: 'content',
  keys,
  resolve: ({ file }) => resolveContent(file.content),
  serve: async ({ database }, config) => {
    if (config === null) return {}
    const { contentLayout, openContentStore } = await import('./contentStore.ts')
    const content = openContentStore(await openBeside(database, contentLayout))
    return { content, close: content.close }
  },
  index: async ({ database, log, stop }, content) => {
    if (content === null) return { ended: Promise.resolve() }
    const { startContent } = await import('./thread/startContent.ts')
    const end = startContent({ database, content }, log)
    const stopped = new Promise<void>((resolve) => {
      stop.addEventListener('abort', () => resolve(), { once: true })
    })
    return { ended: stopped.then(end) }
  },
}
