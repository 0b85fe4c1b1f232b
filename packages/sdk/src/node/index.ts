/** The client for Node: settings, sessions of the command line, and an encrypted snapshot for offline starts. */
export { writeFileAtomically, type WriteFileOptions } from './atomic-file.ts'
export { connect, tokenFromEnvironment, type ConnectOptions } from './connect.ts'
export {
  openCredentials,
  type Credentials,
  type CredentialsOptions,
  type Session,
  type SessionEntry,
  type SessionKey,
} from './credentials.ts'
export { loadKeychain, type Keychain } from './keychain.ts'
export { writeProjectFile, type ProjectFields } from './project-file.ts'
export { sessionTokens, type SessionTokensOptions } from './session-tokens.ts'
export { resolveSettings, type Environment, type Setting, type Settings, type SettingSources } from './settings.ts'
export { openTrustedUrls, type TrustedUrls } from './trusted-urls.ts'
export { fileSnapshot, type FileSnapshotOptions } from './snapshot.ts'
