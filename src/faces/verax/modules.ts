import { parseAddress, type Address } from '../../model/hex.ts'
import { selectRows, type ListArguments } from '../protocolGraphql/listArguments.ts'
import { readRegistered } from './registered.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A module in a query. */
export interface ModuleNode {
  readonly id: Address
  readonly moduleAddress: Address
  readonly name: string
  readonly description: string
  readonly body: string
}

/** The modules whose registration is indexed. */
export async function registeredModules(context: VeraxContext): Promise<readonly ModuleNode[]> {
  const modules = await readRegistered(context, 'module')
  return modules.map(({ address, body }) => {
    // Protocols make the body.
    const { name, description } = JSON.parse(body) as Pick<ModuleNode, 'name' | 'description'>
    return { id: address, moduleAddress: address, name, description, body }
  })
}

/** The registered modules of a list. */
export async function listModules(
  context: VeraxContext,
  args: ListArguments,
): Promise<readonly ModuleNode[]> {
  // Filters and orders take the members of a module alone (`models.ts`).
  const valueOf = (module: ModuleNode, field: string) => module[field as keyof ModuleNode]
  return selectRows(context.budget, await registeredModules(context), valueOf, args)
}

/** The registered module with an address; null where there is none. */
export async function findModule(context: VeraxContext, id: string): Promise<ModuleNode | null> {
  const address = parseAddress(id)
  return (await registeredModules(context)).find((module) => module.id === address) ?? null
}
