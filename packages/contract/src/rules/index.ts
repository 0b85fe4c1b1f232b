/** The rules that server, SDK, command line and web application share: pure functions and tables without dependencies. */
export * from './bucket.ts'
export * from './code-points.ts'
export * from './comparison.ts'
export * from './declared-types.ts'
export * from './dotenv.ts'
export * from './hidden-characters.ts'
export * from './kinds.ts'
export * from './limits.ts'
