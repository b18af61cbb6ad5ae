import { describe, expect, test } from 'vitest'
import { createRouteTable } from './routeTable.ts'

describe('the table of routes', () => {
  const table = createRouteTable()
  table.add('/scan/schemas', ['GET', 'HEAD'])
  table.add('/scan/schemas/:id', ['GET', 'HEAD'])
  table.add('/graphql', ['POST'])
  table.add('/graphql', ['GET'])
  table.add('/assets/*', ['GET'])

  test('finds paths with their methods and raw parameters', () => {
    expect(table.find('/scan/schemas?page=1')?.methods).toEqual(['GET', 'HEAD'])
    expect(table.find('/scan/schemas/%zz#x')?.rawParameters).toEqual({ id: '%zz' })
    expect(table.find('http://host:1/scan/schemas/')?.methods).toEqual(['GET', 'HEAD'])
  })

  test('finds a path of its own before one with a parameter in its place', () => {
    table.add('/scan/schemas/status', ['POST'])
    expect(table.find('/scan/schemas/status')).toEqual({ methods: ['POST'], rawParameters: {} })
    expect(table.find('/scan/schemas/other')?.methods).toEqual(['GET', 'HEAD'])
  })

  test('gathers the methods of one path', () => {
    expect(table.find('/graphql')?.methods).toEqual(['GET', 'POST'])
  })

  test.each(['/', '', '*', '/scan', '/scan/schemas//', '/scan/schemas/a/b', '/assets/x', '/Scan/schemas'])(
    'knows nothing of %j',
    (url) => {
      expect(table.find(url)).toBeNull()
    },
  )
})
