import { defineSchema } from '@attestry/core/protocols/defineSchema.ts'
import type { GeneratedBlock } from '@attestry/store/testing/generatedChain.ts'

/** Generated blocks with the definitions that an indexer derives from the texts of schemas, as commands expect them. */
export function asIndexed(blocks: readonly GeneratedBlock[]): readonly GeneratedBlock[] {
  return blocks.map((block) => ({
    ...block,
    events: block.events.map((event) =>
      event.kind === 'schemaRegistered'
        ? { ...event, schema: { ...event.schema, definition: defineSchema(event.schema) } }
        : event,
    ),
  }))
}
