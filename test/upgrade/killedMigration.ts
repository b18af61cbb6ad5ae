import { DatabaseSync } from 'node:sqlite'
import { migrateSqlite } from '../../src/store/sqlite/migrateSqlite.ts'
import { laterLayout } from './laterLayout.ts'

/**
 * A process that upgrades the database of its first argument and is killed, as by `kill -9`, before that statement of the upgrade
 * whose number is its second.
 */
const [path = '', killedBefore = ''] = process.argv.slice(2)
let statements = 0
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function execOrDie(sql: string): void {
  if (++statements === Number(killedBefore)) process.kill(process.pid, 'SIGKILL')
  exec.call(this, sql)
}
migrateSqlite(path, { layout: laterLayout })
