import { describe, expect, test } from 'vitest'
import { createRouteTable } from './routeTable.ts'

describe('the table of routes', () => {
  const table = createRouteTable([
    { path: '/scan/schemas', methods: ['GET', 'HEAD'], config: {} },
    { path: '/scan/schemas/:id', methods: ['GET', 'HEAD'], config: {} },
    { path: '/graphql', methods: ['POST'], config: {} },
    { path: '/graphql', methods: ['GET'], config: {} },
    { path: '/assets/*', methods: ['GET'], config: {} },
    { path: '/scan/schemas/status', methods: ['POST'], config: {} },
    { path: '/scan/schemas/status', methods: ['GET'], config: { isRefused: true } },
  ])

  test('finds paths with their methods and raw parameters', () => {
    expect(table.find('/scan/schemas?page=1')?.methods).toEqual(['GET', 'HEAD'])
    expect(table.find('/scan/schemas/%zz#x')?.rawParameters).toEqual({ id: '%zz' })
    expect(table.find('http://host:1/scan/schemas/')?.methods).toEqual(['GET', 'HEAD'])
  })

  test('finds a path of its own before one with a parameter in its place', () => {
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
