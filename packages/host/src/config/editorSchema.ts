import { keysOfParts, type ConfigPart } from './configPart.ts'
import { createConfigSchema } from './configSchema.ts'

/** The text of `attestry.schema.json`: what editors complete and check a configuration file by. */
export function formatEditorSchema(protocolNames: readonly string[], parts: readonly ConfigPart[]): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Attestry configuration',
    description: 'attestry.yaml: where the index is kept, where it is served, and which chains it covers.',
    ...createConfigSchema(protocolNames, keysOfParts(parts)),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
