// Where the server asks for a token: a place to put one. It is kept until the tab is closed.
import {useId, useState} from 'react'
import {token, type Problem} from './client'

export function SignIn({problem, onToken}: {problem: Problem; onToken: () => void}) {
  const [text, setText] = useState('')
  const id = useId()
  const had = token.get() !== null
  return (
    <main className="page">
      <h1>Sign in</h1>
      <p>This server takes signed tokens (JWT) of your identity provider. Paste yours; it stays in this tab, and is gone when you close it.</p>
      {had && (
        <p role="alert" className="error">
          The token was not taken: {problem.message}
        </p>
      )}
      <form
        onSubmit={e => {
          e.preventDefault()
          token.set(text.trim().replace(/^Bearer /i, ''))
          onToken()
        }}
      >
        <label htmlFor={id}>Token</label>
        <textarea id={id} rows={6} required autoComplete="off" spellCheck={false} value={text} onChange={e => setText(e.target.value)} />
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
    </main>
  )
}
