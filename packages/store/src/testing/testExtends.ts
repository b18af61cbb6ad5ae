import { expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent, SchemaRegistered } from '@attestry/core/model/domainEvent.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import { generateBlocks, type GeneratedBlock } from './generatedChain.ts'
import { batchOf, exportOf, identityOf, storedAt, withStore, type CreateTestStore } from './storeFactory.ts'

const chainId = 5
const field = (name: string, type = 'string'): SchemaField => ({ name, type })
const idOf = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}` as LocalId

const template = generateBlocks(chainId, [], [{ kind: 0, gap: 1, who: 1, whom: 4, what: 3, text: 5 }], 'a')
  .flatMap(({ events }) => events)
  .find((event): event is SchemaRegistered => event.kind === 'schemaRegistered')

/** Blocks 0 to 3; schemas as name, fields, and the parent's name. */
const told: readonly (readonly [
  block: number,
  name: string,
  fields: readonly SchemaField[],
  parent?: string,
])[] = [
  [1, 'early', [field('a')], 'late'],
  [1, 'parent', [field('a'), field('b', 'uint8'), field('')]],
  [1, 'child', [field('c')], 'parent'],
  [1, 'grandchild', [field('b', 'bytes32'), field(''), field('d')], 'child'],
  [1, 'orphan', [field('a')], 'nobody'],
  [1, 'itself', [field('a')], 'itself'],
  [2, 'late', [field('e')]],
  [2, 'stored', [field('f')], 'parent'],
  [2, 'bare', [], 'grandchild'],
  [3, 'empty', []],
  [3, 'of nothing', [field('a')], 'empty'],
]

const [a, b, c] = [field('a'), field('b', 'uint8'), field('c')]
/** No schema can redefine a field without a name. */
const grand = [a, field(''), c, field('b', 'bytes32'), field(''), field('d')]
const expected: Readonly<Record<string, readonly SchemaField[]>> = {
  early: [],
  parent: [a, b, field('')],
  child: [a, b, field(''), c],
  grandchild: grand,
  orphan: [],
  itself: [],
  late: [field('e')],
  stored: [a, b, field(''), field('f')],
  bare: grand,
  empty: [],
  'of nothing': [],
}

function eventsOf(block: number): DomainEvent[] {
  if (template === undefined) throw new Error('the blocks register a schema')
  const { schema } = template
  return told.flatMap(([number, name, fields, parent], index): DomainEvent[] => {
    if (number !== block) return []
    const position = eventPosition(block, index)
    const definition = {
      ...schema.definition,
      fields,
      ...(parent === undefined ? {} : { extends: idOf(parent) }),
    }
    const key = { chainId, localId: idOf(name) }
    return [{ ...template, position, schema: { ...schema, key, position, definition, rawText: name } }]
  })
}

export function testExtends(create: CreateTestStore): void {
  test('a schema has the fields of its parent, where that was registered before, and then its own', async () => {
    const blocks: readonly GeneratedBlock[] = generateBlocks(
      chainId,
      [],
      [1, 1, 1].map((gap) => ({ kind: 7, gap, who: 1, whom: 1, what: 0, text: 0 })),
      'a',
    ).map((block) => ({ ...block, events: eventsOf(block.number) }))
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(chainId))
      const protocol = template?.schema.protocol ?? ''
      const fieldsOf = async () => {
        const found: Record<string, unknown> = {}
        for (const [, name] of told) {
          const schema = await reader.findSchema({ chainId, protocol, localId: idOf(name) })
          found[name] = JSON.parse(schema?.fieldsJson ?? 'null')
        }
        return found
      }
      await writer.applyBlocks(chainId, batchOf(blocks.slice(0, 2)))
      await writer.applyBlocks(chainId, batchOf(blocks.slice(2)))
      expect(await fieldsOf()).toEqual(expected)
      const whole = await exportOf(reader, false)
      await writer.revertBlocks(chainId, 1, storedAt)
      await writer.applyBlocks(chainId, batchOf(blocks.slice(2)))
      expect(await fieldsOf()).toEqual(expected)
      expect(await exportOf(reader, false)).toEqual(whole)
    })
  })
}
