import { Client } from 'pg'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { laterPostgresLayout } from './laterLayout.ts'
import { projections } from '../harness/projections.ts'

/**
 * A process that upgrades the database at the URL of its first argument. Its second argument is the number of the
 * statement before which the process kills itself with SIGKILL.
 */
const [url = '', killedBefore = ''] = process.argv.slice(2)
let statements = 0
const { query } = Client.prototype
Object.assign(Client.prototype, {
  query(this: Client, ...parameters: unknown[]): unknown {
    if (++statements === Number(killedBefore)) process.kill(process.pid, 'SIGKILL')
    return Reflect.apply(query, this, parameters)
  },
})
await migratePostgres(url, { layout: laterPostgresLayout, projections })
