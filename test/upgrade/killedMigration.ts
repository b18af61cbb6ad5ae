import { DatabaseSync } from 'node:sqlite'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { laterLayout } from './laterLayout.ts'
import { projections } from '../harness/projections.ts'

/**
 * A process that upgrades the database at the path of its first argument. Its second argument is the number of the
 * statement before which the process kills itself with SIGKILL.
 */
const [path = '', killedBefore = ''] = process.argv.slice(2)
let statements = 0
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function execOrDie(sql: string): void {
  if (++statements === Number(killedBefore)) process.kill(process.pid, 'SIGKILL')
  exec.call(this, sql)
}
migrateSqlite(path, { layout: laterLayout, projections })
