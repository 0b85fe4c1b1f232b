/** A thread that moves the log of a SQLite file to the file once it gets a message, and ends. A failure ends it too. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData as string)
parentPort?.once('message', () => {
  connection.exec('pragma wal_checkpoint(passive)')
  connection.close()
})
parentPort?.postMessage('ready')
