// Package local is the embedded engine: it finds the dynoxide program, a DynamoDB that keeps its tables in
// one file or in memory, runs it as a child process on a free port of 127.0.0.1, and ends it.
//
// Start here: [Start] gives an [Engine] whose URL speaks the DynamoDB API; [Engine.Stop] ends it. Whoever
// only wants the program calls [Find]. Failures are an [*Error] whose Kind is asked with [KindOf].
//
// The laws that the code and its tests cite:
//
//	L1  The engine never outlives the process that started it, however that process ends, kill -9 included.
//	L2  A signal of the terminal (Ctrl-C) does not reach the engine: the server drains first and then calls
//	    Stop.
//	L3  A data directory has at most one engine at a time, and the lock is free only when the engine is
//	    gone. (After a kill -9 of the server it is free a millisecond earlier, while the engine is being
//	    killed; there SQLite's own locks keep the file whole.)
//	L4  The cache folder holds a whole, tried engine or none; a start that fails leaves no directory or file
//	    that it made, except for the engine in the cache and the cache folder itself.
//
// What may never be in here: tables, items, the AWS SDK, any other package of this module, flags and
// environment variables.
package local
