import { expect, test } from 'vitest'
import { protocolNames } from '@attestry/core/model/protocolNames.ts'
import { wings } from '@attestry/attestry/wings.ts'
import { formatEditorSchema } from './editorSchema.ts'

// `npx vitest run packages/host/src/config/editorSchema.test.ts --update` writes the file anew.
test('attestry.schema.json equals the schema that the program checks a configuration by', async () => {
  await expect(formatEditorSchema(protocolNames, wings)).toMatchFileSnapshot(
    '../../../../attestry.schema.json',
  )
})
